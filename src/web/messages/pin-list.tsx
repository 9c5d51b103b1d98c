import { useEffect } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
import { api } from '../session.ts'
import { closeDialog } from '../shell/dialog.tsx'
import { useAction } from '../shell/use-action.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { t } from '../texts/texts.ts'
import { Hit } from './hit.tsx'
import { mayPin, setPinned } from './pinning.ts'

/** The pinned messages of a room, as they are. */
export function PinList({ roomId }: { roomId: string }) {
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
