import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { onPersonLeft } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { closeAtEscape } from './close-at-escape.ts'
import { Icon } from './icon.tsx'

/** A sheet comes from below where there is one column, and goes when one touches beside it. */
type Look = 'sheet' | undefined
type Shown = { id: number; title: string; content: ComponentChildren; look?: Look }

let opened = 0
const shown = signal<Shown | undefined>(undefined)

/** Shows something above the page that is to be dealt with first. Gives how to close it, and nothing that came after it. */
export function openDialog(title: string, content: ComponentChildren, look?: Look): () => void {
  opened += 1
  const own = { id: opened, title, content, look }
  shown.value = own
  return () => shown.peek() === own && closeDialog()
}

export function closeDialog(): void {
  shown.value = undefined
}

onPersonLeft(closeDialog)

/** Where dialogs appear. */
export function Dialogs() {
  return shown.value && <Dialog key={shown.value.id} shown={shown.value} />
}

/** The field that gets the focus in a dialog without `autofocus`. */
const firstField = 'input:not([type=checkbox], [type=radio], [type=file]), select, textarea'

function Dialog({ shown: own }: { shown: Shown }) {
  const { title, content, look } = own
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    // The element itself keeps the focus inside, and gives it back.
    const dialog = element.current
    dialog?.showModal()
    if (!dialog?.querySelector('[autofocus]')) dialog?.querySelector<HTMLElement>(firstField)?.focus()
    return () => dialog?.close()
  }, [])
  const close = () => element.current?.close()
  const onKeyDown = (event: KeyboardEvent) => closeAtEscape(event, close)
  return (
    <dialog
      ref={element}
      class={look}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      // The event comes late: the next one may be there by then.
      onClose={() => shown.peek() === own && closeDialog()}
      onClick={({ target }) => look === 'sheet' && target === element.current && close()}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="plain" onClick={close} aria-label={t().close}>
          <Icon name="close" />
        </button>
      </header>
      {content}
    </dialog>
  )
}
