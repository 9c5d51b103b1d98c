import { useEffect } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { permission } from '../../houses/permissions.ts'
import { onEvent } from '../connection.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { useAction } from '../shell/use-action.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import type { Message, Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { errorText, t } from '../texts/texts.ts'
import { Hit } from './hit.tsx'

/** Whether one may pin and unpin in a room: in a private one everybody may. */
export function mayPin(roomId: string): boolean {
  const room = store.rooms.value[roomId]
  return room !== undefined && (room.house_id === null || mayInRoom(room, permission.MODERATE_ROOM))
}

function setPinned({ id: message_id, room_id: id }: Message, pinned: boolean): Promise<unknown> {
  return api.call(pinned ? 'pinMessage' : 'unpinMessage', { params: { id, message_id } })
}

/** Pins a message, or unpins it; a refusal is told. */
export function togglePin(message: Message): void {
  setPinned(message, !message.pinned).catch((error: unknown) => {
    openDialog(t().pinnedMessages, <p role="alert">{errorText(error)}</p>)
  })
}

/** Shows the pinned messages of a room. */
export function openPins({ id }: Room): void {
  openDialog(t().pinnedMessages, <Pins roomId={id} />)
}

function Pins({ roomId }: { roomId: string }) {
  const { act, notice } = useAction()
  const { value, failure, reload } = useLoaded(
    async () => (await api.call('listPins', { params: { id: roomId } })).map(normalizeMessage),
    [roomId],
  )
  useEffect(
    () =>
      onEvent(({ e, d }) => {
        const changesPins = e === 'PIN_UPDATE' || e === 'MESSAGE_DELETE' || e === 'MESSAGE_UPDATE'
        if (changesPins && d.room_id === roomId) void reload()
      }),
    [reload],
  )
  if (failure !== '') return <p role="alert">{failure}</p>
  if (!value) return <p class="muted">{t().loading}</p>
  return (
    <div class="pins">
      {notice}
      {value.length === 0 && <p class="muted">{t().noPins}</p>}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link of the list is a click too */}
      <ul class="hits" aria-label={t().pinnedMessages} onClick={closeAtLink}>
        {value.map((message) => (
          <Hit key={message.id} message={message}>
            {mayPin(roomId) && (
              <button type="button" class="link" onClick={() => act(() => setPinned(message, false))}>
                {t().unpin}
              </button>
            )}
          </Hit>
        ))}
      </ul>
    </div>
  )
}

/** The way to a message leads out of the dialog. */
function closeAtLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link && !link.target) closeDialog()
}
