import { isOffline } from '../connection.ts'
import { Waiting } from '../messages/waiting.tsx'
import type { Place } from '../places.ts'
import { roomName } from '../rooms/rooms.ts'
import { Page } from '../shell/page.tsx'
import type { Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'

/** A place of which only the name may be known yet, from the last visit. Without a connection, it shows what waits to be sent. */
export function StartingPage({ at }: { at: Place }) {
  const room = 'roomId' in at ? store.rooms.value[at.roomId] : undefined
  return (
    <Page title={room ? <RoomTitle room={room} /> : t().appName}>
      <div class="page-body" aria-busy={!isOffline.value}>
        <p class="muted">{isOffline.value ? t().shownLater : t().loading}</p>
        {isOffline.value && <Waiting />}
      </div>
    </Page>
  )
}

function RoomTitle({ room }: { room: Room }) {
  return (
    <>
      {room.house_id !== null && <span aria-hidden="true"># </span>}
      {roomName(room)}
    </>
  )
}
