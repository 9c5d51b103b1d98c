import { useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { errorText, t } from '../texts/texts.ts'
import { openDeleteMessage } from './actions.tsx'
import { focusComposer } from './composer-focus.ts'
import { editedMessage, editMessage } from './editing.ts'
import { fitHeight } from './fit-height.ts'
import { MessageField } from './message-field.tsx'
import { asTyped, sender } from './references.ts'
import { useCompletion } from './use-completion.ts'

/** Edits a message where it stands. */
export function MessageEditor({ message }: { message: Message }) {
  const { mentions, room_id } = message
  const field = useRef<HTMLTextAreaElement>(null)
  const failure = useSignal('')
  const room = store.rooms.value[room_id]!
  const before = useSignal(asTyped(message.content, room, mentions)).peek()
  const text = useSignal(before)
  const type = (typed: string) => {
    text.value = typed
  }
  const completion = useCompletion(field, room, type)
  useSignalEffect(() => fitHeight(field.current, text.value))
  useLayoutEffect(() => {
    const element = field.current!
    element.focus()
    element.setSelectionRange(element.value.length, element.value.length)
  }, [])

  const leave = () => {
    editedMessage.value = undefined
    focusComposer()
  }
  const save = async () => {
    const typed = text.value.trim()
    if (typed === before.trim()) return leave()
    if (typed === '' && !message.attachment) return openDeleteMessage(message)
    await editMessage(message, sender(room, mentions)(typed)).then(focusComposer, (error: unknown) => {
      failure.value = errorText(error)
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      leave()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void save()
    }
  }
  return (
    <div class="editor">
      <MessageField
        field={field}
        label={t().editing}
        value={text}
        type={type}
        completion={completion}
        onKeyDown={onKeyDown}
      />
      <p class="hint">{t().editHint}</p>
      {failure.value !== '' && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
    </div>
  )
}
