import type { ReadonlySignal } from '@preact/signals'
import type { Ref } from 'preact'
import { CompletionList } from './completion-list.tsx'
import { leaveUndone } from './field-text.ts'
import { optionId, type useCompletion } from './use-completion.ts'

type MessageFieldProps = {
  field: Ref<HTMLTextAreaElement>
  label: string
  /** As a signal: a key changes the field, and renders nothing. */
  value: ReadonlySignal<string>
  type: (text: string) => void
  completion: ReturnType<typeof useCompletion>
  /** Gets the keys that the completion leaves. */
  onKeyDown: (event: KeyboardEvent) => void
  placeholder?: string
  onPaste?: (event: ClipboardEvent) => void
  enterkeyhint?: 'send' | 'done'
}

/** Where the text of a message is written, with completion. */
export function MessageField({ field, type, completion, onKeyDown, label, ...more }: MessageFieldProps) {
  const { listId, index, candidates, emoji } = completion
  const isCompleting = candidates.length > 0
  return (
    <>
      <CompletionList completion={completion} />
      <textarea
        ref={field}
        aria-label={label}
        rows={1}
        dir="auto"
        aria-autocomplete="list"
        aria-controls={isCompleting ? listId : undefined}
        aria-activedescendant={isCompleting ? optionId(listId, index) : undefined}
        onInput={(event) => {
          leaveUndone(event.currentTarget, event)
          type(event.currentTarget.value)
          completion.look()
          emoji.onInput(event)
        }}
        onBeforeInput={emoji.onBeforeInput}
        onCompositionEnd={emoji.onCompositionEnd}
        onSelect={completion.look}
        onBlur={completion.close}
        onKeyDown={(event) => {
          if (!completion.onKey(event)) onKeyDown(event)
        }}
        {...more}
      />
    </>
  )
}
