import { signal } from '@preact/signals'
import { onPersonLeft } from '../state/store.ts'

/** How high a folded text is, in px, and how much higher a text must be to be folded. */
export const foldedPx = { message: 480, code: 320 }
export const leastHiddenPx = 120
export type FoldKind = keyof typeof foldedPx

/** In px, at the font of the page. */
const linePx = { message: 21.75, code: 20 }
const letterPx = 7
const widestTextPx = 720
const besidesTextPx = 84

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

/** How high a text would be in a timeline of this width, before it was measured. Lines of code are not broken. */
export function estimatedHeight(text: string, kind: FoldKind, width: number): number {
  const perLine = Math.max(20, (Math.min(widestTextPx, width - besidesTextPx) || widestTextPx) / letterPx)
  const lines = text.split('\n')
  const broken = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / perLine)), 0)
  return (kind === 'code' ? lines.length : broken) * linePx[kind]
}

/** Whether a text is shown folded until it was measured. */
export function seemsTall(text: string, kind: FoldKind): boolean {
  return estimatedHeight(text, kind, innerWidth) > foldedPx[kind] + leastHiddenPx
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

/** Sent by a text before it is folded (`isFolding`) or shown whole. */
export type FoldEvent = CustomEvent<{ isFolding: boolean }>
export const foldEvent = 'fold'
