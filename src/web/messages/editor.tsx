import { useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isOffline } from '../connection.ts'
import { offerUndo } from '../shell/announcement.tsx'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { errorText, t } from '../texts/texts.ts'
import { openDeleteMessage } from './actions.tsx'
import { focusComposer } from './composer-focus.ts'
import { draftOf, keepDraft } from './drafts.ts'
import { beginEdit, editedMessage, editMessage, takeBegun } from './editing.ts'
import { fitHeight } from './fit-height.ts'
import { MessageField } from './message-field.tsx'
import { asTyped, sender } from './references.ts'
import { useCompletion } from './use-completion.ts'

/** Edits a message where it stands. */
export function MessageEditor({ message }: { message: Message }) {
  const { id, mentions, room_id } = message
  const field = useRef<HTMLTextAreaElement>(null)
  const failure = useSignal('')
  const room = store.rooms.value[room_id]!
  const before = useSignal(asTyped(message.content, room, mentions)).peek()
  const text = useSignal(draftOf(room_id, id) || before)
  const type = (typed: string) => {
    text.value = typed
    keepDraft(room_id, typed === before ? '' : typed, id)
  }
  const completion = useCompletion(field, room)
  useSignalEffect(() => fitHeight(field.current, text.value))
  useLayoutEffect(() => {
    const element = field.current!
    if (!takeBegun(id)) return
    element.focus()
    element.setSelectionRange(element.value.length, element.value.length)
  }, [])

  const leave = () => {
    editedMessage.value = undefined
    focusComposer()
  }
  const save = async () => {
    completion.emoji.finish()
    const typed = text.value.trim()
    if (typed === before.trim()) {
      keepDraft(room_id, '', id)
      return leave()
    }
    if (typed === '' && !message.attachment) return openDeleteMessage(message)
    // The hint says so.
    if (isOffline.peek()) return
    try {
      await editMessage(message, sender(room, mentions)(typed))
      focusComposer()
    } catch (error) {
      failure.value = errorText(error)
    }
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
      <p class="hint" role="status">
        {isOffline.value ? t().editOffline : t().editHint}
      </p>
      {failure.value !== '' && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
    </div>
  )
}

/** Under a message: that there is another text for it, which one has not saved. */
export function UnsavedEdit({ message }: { message: Message }) {
  const { id, room_id } = message
  const text = useSignal(draftOf(room_id, id))
  if (text.value === '') return null
  const keep = (typed: string) => {
    keepDraft(room_id, typed, id)
    text.value = typed
  }
  const discard = () => {
    const lost = text.value
    keep('')
    focusComposer()
    offerUndo(t().discarded, async () => keep(lost))
  }
  return (
    <p class="muted">
      {t().editNotSaved}{' '}
      <button type="button" class="link" onClick={() => beginEdit(message)}>
        {t().edit}
      </button>
      {' · '}
      <button type="button" class="link" onClick={discard}>
        {t().discard}
      </button>
    </p>
  )
}
