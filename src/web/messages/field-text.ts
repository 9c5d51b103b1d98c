/** The ranges of each field that were replaced, as "start end". */
const replaced = new WeakMap<HTMLTextAreaElement, Set<string>>()

/**
 * Replaces a range of a field by a text, and puts the caret behind it. For the browser this is typing: it fires `input`,
 * and can undo it.
 */
export function replaceText(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus({ preventScroll: true })
  field.setSelectionRange(start, end)
  if (start === end && text === '') return
  replaced.set(field, (replaced.get(field) ?? new Set()).add(`${start} ${end}`))
  const isDone =
    text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text)
  if (isDone) return
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertReplacementText' }))
}

/** Collapses the selection that an undo makes of a replaced range: the next key would overwrite it. */
export function leaveUndone(field: HTMLTextAreaElement, { inputType }: InputEvent): void {
  const { selectionStart, selectionEnd } = field
  if (inputType !== 'historyUndo' || !replaced.get(field)?.has(`${selectionStart} ${selectionEnd}`)) return
  field.setSelectionRange(selectionEnd, selectionEnd)
}

/** Changes the text of a field that has the focus, so that undo works. */
export function changeText(field: HTMLTextAreaElement, text: string): void {
  const { value } = field
  if (document.activeElement !== field || value === text) return
  const end = text.startsWith(value) ? value.length : 0
  replaceText(field, end, value.length, text.slice(end))
}
