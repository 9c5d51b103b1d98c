import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { type Place, pathOf } from '../places.ts'
import { friendRequests } from '../rooms/friend-requests.ts'
import { houseUnread, privateUnread } from '../rooms/unread.ts'
import { loadServer } from '../server-information.ts'
import { Icon } from '../shell/icon.tsx'
import { Mark } from '../shell/mark.tsx'
import { isNarrow } from '../shell/media.ts'
import { Menu, MenuItem } from '../shell/menu.tsx'
import type { Placement } from '../shell/order.ts'
import { Picture } from '../shell/picture.tsx'
import { useOrder } from '../shell/use-order.ts'
import { useRovingFocus } from '../shell/use-roving-focus.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { openCreateHouse, openJoinHouse } from './dialogs.tsx'
import { isCreationForAdmins } from './house-creation.ts'
import { chooseHouseOrder, houseOrder } from './house-order.ts'

/** Down the side: private rooms, the houses in one's own order, and oneself. */
export function Rail({ at }: { at: Place }) {
  const me = store.me.value
  const isForAdmins = isCreationForAdmins.value
  const saying = useSignal('')
  const isPrivate = ['private', 'privateRooms', 'friends', 'mentions'].includes(at.name)
  const place = ({ id, ids }: Placement) => {
    chooseHouseOrder(ids)
    saying.value = t().movedTo(store.houses.value[id]?.name ?? '', ids.indexOf(id) + 1, ids.length)
  }
  const { area } = useOrder<HTMLUListElement>([{ id: 'houses', ids: houseOrder.value }], place)
  useRovingFocus(area)
  const here = 'houseId' in at ? at.houseId : ''
  const known = Object.keys(store.houses.value).length
  // Houses come one by one: those before it move the open one.
  useLayoutEffect(() => {
    area.current?.querySelector(`[data-item="${CSS.escape(here)}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [here, known])
  return (
    // Only the menu needs it: the first load does without.
    <nav class="rail" aria-label={t().houses} onPointerEnter={loadServer} onFocusIn={loadServer}>
      <ul ref={area} data-list="houses">
        <li>
          <a href={pathOf({ name: 'privateRooms' })} aria-current={isPrivate ? 'true' : undefined}>
            <span class="picture picture-large home" aria-hidden="true">
              <Icon name="home" />
            </span>
            <span class="visually-hidden">{t().privateRooms}</span>
            <Mark unread={privateUnread.value} requests={friendRequests.value} />
          </a>
        </li>
        {houseOrder.value.map((id) => (
          <HouseLink key={id} id={id} isHere={id === here} hasRoom={'roomId' in at} />
        ))}
        <li>
          <Menu
            label={isForAdmins ? t().joinHouse : t().createOrJoin}
            button={<Icon name="add" />}
            class="add-house"
          >
            {!isForAdmins && <MenuItem action={openCreateHouse}>{t().createHouse}</MenuItem>}
            <MenuItem action={openJoinHouse}>{t().joinHouse}</MenuItem>
          </Menu>
        </li>
      </ul>
      <p class="visually-hidden" role="status">
        {saying.value}
      </p>
      {me && (
        <a
          class="rail-end"
          href={pathOf({ name: 'settings', section: '' })}
          aria-label={t().settings}
          aria-current={at.name === 'settings' ? 'true' : undefined}
        >
          <Picture of={me} kind="users" size="large" />
        </a>
      )}
    </nav>
  )
}

type HouseLinkProps = { id: string; isHere: boolean; hasRoom: boolean }

function HouseLink({ id, isHere, hasRoom }: HouseLinkProps) {
  const house = store.houses.value[id]
  if (!house) return null
  return (
    <li data-item={id}>
      <a
        href={pathOf({ name: 'house', houseId: id })}
        aria-current={isHere ? 'true' : undefined}
        aria-keyshortcuts="Alt+Shift+ArrowUp Alt+Shift+ArrowDown"
        title={house.name}
        onClick={(event) => {
          // Beside its list, the room that is shown is where the house leads: no step of the history.
          const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey)
          if (isHere && hasRoom && isPlain && !isNarrow.peek()) event.preventDefault()
        }}
      >
        <Picture of={house} kind="houses" size="large" />
        <span class="visually-hidden">{house.name}</span>
        <Mark unread={houseUnread(id)} />
      </a>
    </li>
  )
}
