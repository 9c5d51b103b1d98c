/** Puts the focus where one writes, if one may write: below a dialog, once that has gone. */
export function focusComposer(): void {
  const dialog = document.querySelector('dialog[open]')
  if (dialog) dialog.addEventListener('close', focusComposer, { once: true })
  else document.querySelector<HTMLTextAreaElement>('.composer textarea')?.focus({ preventScroll: true })
}
