import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { onEvent } from '../connection.ts'
import { api } from '../session.ts'
import { closeDialog } from '../shell/dialog.tsx'
import { useAction } from '../shell/use-action.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import type { Message } from '../state/state.ts'
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
  const changed = useSignal<Changed>(new Map())
  const shown = listed(value ?? [], changed.value)
  const pin = async (message: Message, isPinned: boolean) => {
    const before = changed.peek()
    const index = shown.findIndex(({ id }) => id === message.id)
    // At once: the event of the change may come before the answer.
    changed.value = new Map([...before, [message.id, { message, index, isPinned }]])
    await setPinned(message, isPinned).catch((error: unknown) => {
      changed.value = before
      throw error
    })
    await reload()
  }
  useEffect(
    () =>
      onEvent(({ e, d }) => {
        const changesPins = e === 'PIN_UPDATE' || e === 'MESSAGE_DELETE' || e === 'MESSAGE_UPDATE'
        if (!changesPins || d.room_id !== roomId) return
        if (e === 'MESSAGE_DELETE') changed.value = without(changed.peek(), d.message_id)
        void reload()
      }),
    [reload],
  )
  if (failure !== '') return <p role="alert">{failure}</p>
  if (!value) return <p class="muted">{t().loading}</p>
  return (
    <div class="pins">
      {notice}
      {shown.length === 0 && <p class="muted">{t().noPins}</p>}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link of the list is a click too */}
      <ul class="hits" aria-label={t().pinnedMessages} onClick={closeAtLink}>
        {shown.map((message) => (
          <Hit key={message.id} message={message}>
            {mayPin(roomId) && (
              <PinButton
                isPinned={changed.value.get(message.id)?.isPinned ?? true}
                pin={(pinned) => act(() => pin(message, pinned))}
              />
            )}
          </Hit>
        ))}
      </ul>
    </div>
  )
}

/** By id: messages that were unpinned here, and perhaps pinned again. They keep their places, so that it can be undone. */
type Changed = ReadonlyMap<string, { message: Message; index: number; isPinned: boolean }>

function without(changed: Changed, id: string): Changed {
  return new Map([...changed].filter(([each]) => each !== id))
}

/** The pinned messages with those that were changed here. */
function listed(pinned: readonly Message[], changed: Changed): Message[] {
  const shown = pinned.filter(({ id }) => !changed.has(id))
  const inOrder = [...changed.values()].sort((a, b) => a.index - b.index)
  for (const { message, index } of inOrder) shown.splice(index, 0, message)
  return shown
}

/** Unpins, or pins again what was unpinned just now. It is one button, which keeps the focus. */
function PinButton({ isPinned, pin }: { isPinned: boolean; pin: (pinned: boolean) => void }) {
  return (
    <>
      {!isPinned && <span class="muted">{t().unpinned} </span>}
      <button type="button" class="link" onClick={() => pin(!isPinned)}>
        {isPinned ? t().unpin : t().undo}
      </button>
    </>
  )
}

/** The way to a message leads out of the dialog. */
function closeAtLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link && !link.target) closeDialog()
}
