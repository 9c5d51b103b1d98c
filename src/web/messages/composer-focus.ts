/** Puts the focus where one writes, if one may write. */
export function focusComposer(): void {
  document.querySelector<HTMLTextAreaElement>('.composer textarea')?.focus({ preventScroll: true })
}
