import { whenUncovered } from '../shell/uncovered.ts'

/** Puts the focus where one writes, if one may write: below a dialog, once that has gone. */
export function focusComposer(): void {
  whenUncovered(() => {
    document.querySelector<HTMLTextAreaElement>('.composer textarea')?.focus({ preventScroll: true })
  })
}
