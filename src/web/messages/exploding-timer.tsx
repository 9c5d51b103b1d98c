import type { Signal } from '@preact/signals'
import { Icon } from '../shell/icon.tsx'
import { Menu, MenuItem } from '../shell/menu.tsx'
import { durationText } from '../texts/dates.ts'
import { t } from '../texts/texts.ts'

/** In seconds; 0 for messages that stay. */
const ages = [0, 10, 60, 3_600, 86_400, 604_800]

/** After how long the next message explodes: it is set for one message at a time. */
export function ExplodingTimer({ age }: { age: Signal<number> }) {
  const name = age.value === 0 ? t().explodingOff : t().explodesAfter(durationText(age.value))
  const button = (
    <>
      <Icon name="timer" />
      {age.value > 0 && <span class="timer-age" data-age={durationText(age.value, 'narrow')} />}
    </>
  )
  return (
    <Menu
      label={`${t().exploding}: ${name}`}
      button={button}
      class={age.value > 0 ? 'plain armed-timer' : 'plain'}
    >
      {ages.map((each) => (
        <MenuItem
          key={each}
          action={() => {
            age.value = each
          }}
        >
          {each === 0 ? t().explodingOff : t().explodesAfter(durationText(each))}
        </MenuItem>
      ))}
    </Menu>
  )
}
