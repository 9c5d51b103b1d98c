import { permission } from '../../houses/permissions.ts'
import { isComing } from '../houses/last-rooms.ts'
import { focusComposer } from '../messages/composer-focus.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { place } from '../router.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'

/** The first stops of Tab: links that skip the houses and rooms. */
export function SkipLinks() {
  const at = place.value
  const room = 'roomId' in at ? store.rooms.value[at.roomId] : undefined
  const isShown = store.me.value !== undefined && !isComing(at)
  const mayWrite = isShown && room !== undefined && mayInRoom(room, permission.SEND_MESSAGES)
  return (
    <div class="skip-links">
      <SkipLink to="page" text={t().skipToPage} act={focusPage} />
      {mayWrite && <SkipLink to="composer" text={t().skipToComposer} act={focusComposer} />}
    </div>
  )
}

function SkipLink({ to, text, act }: { to: string; text: string; act: () => void }) {
  const follow = (event: Event) => {
    event.preventDefault()
    act()
  }
  return (
    <a class="button" href={`#${to}`} onClick={follow}>
      {text}
    </a>
  )
}

/** Focuses the messages of a room; of other pages the heading. */
function focusPage(): void {
  document.querySelector<HTMLElement>('.log, main h1')?.focus()
}
