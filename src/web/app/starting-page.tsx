import { isOffline } from '../connection.ts'
import { Waiting } from '../messages/waiting.tsx'
import type { Place } from '../places.ts'
import { roomName } from '../rooms/rooms.ts'
import { Page } from '../shell/page.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'

/** A place of which only the name may be known yet, from the last visit. Without a connection, it shows what waits to be sent. */
export function StartingPage({ at }: { at: Place }) {
  const room = 'roomId' in at ? store.rooms.value[at.roomId] : undefined
  return (
    <Page title={room ? roomName(room) : t().appName}>
      <div class="page-body" aria-busy={!isOffline.value}>
        {isOffline.value ? <Waiting /> : <p class="muted">{t().loading}</p>}
      </div>
    </Page>
  )
}
