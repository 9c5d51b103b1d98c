import { signal } from '@preact/signals'
import { onPersonLeft } from '../state/store.ts'

/** How high a folded text is, in px, and how much higher a text must be to be folded. */
export const foldedPx = { message: 480, code: 320 }
export const leastHiddenPx = 120

/** The tall texts that are shown whole, by the ids of their folds. */
export const unfolded = signal<ReadonlySet<string>>(new Set())

onPersonLeft(() => {
  unfolded.value = new Set()
})

/** In the narrowest column, a shorter text is not folded, however wide its letters are. */
const shortest = 400
const fewestLines = 12

/** Whether a text can be so high that it is folded: others need not be measured. */
export function mayBeTall(text: string): boolean {
  return text.length > shortest || text.split('\n', fewestLines + 1).length > fewestLines
}

/** Shows a text whole, and the message that it is a part of, or folds it again. */
export function setUnfolded(id: string, isUnfolded: boolean): void {
  const ids = new Set(unfolded.peek())
  if (isUnfolded) {
    ids.add(id)
    ids.add(messageOf(id))
  } else ids.delete(id)
  unfolded.value = ids
}

/** The id of the fold of a code in a message; `at` is where it begins in the text. */
export function codeFoldId(messageId: string, at: number): string {
  return `${messageId}/${at}`
}

function messageOf(foldId: string): string {
  return foldId.split('/')[0]!
}

/** Sent by a text before it is folded or shown whole: whether that is because somebody wants less. */
export type FoldEvent = CustomEvent<{ isFolding: boolean }>
export const foldEvent = 'fold'
