import { isMessage, type Row } from './rows.ts'
import type { VirtualRows } from './virtual-rows.ts'

type Steps = Pick<VirtualRows, 'indexAt' | 'lastInSight'> & {
  rows: readonly Row[]
  /** Moves the focus to a row, also to one that is not rendered yet. */
  focus(index: number): void
}

/**
 * In the timeline, arrows move by whole message, Page up and down by a window, Home and End to the first and last that
 * is known; Esc leads back to the message that something is in.
 */
export function moveByMessage(event: KeyboardEvent, steps: Steps): void {
  const target = event.target as HTMLElement
  if (target.closest('textarea, input, video')) return
  const present = target.closest<HTMLElement>('article')
  const next = nextIndex(event, present, steps)
  if (next !== undefined) {
    event.preventDefault()
    if (next >= 0) steps.focus(next)
  } else if (present && event.key === 'Escape' && target !== present) {
    event.stopPropagation()
    present.focus()
  }
}

/** Where a key leads to: -1 if there is no message, undefined if it leads nowhere. */
function nextIndex(event: KeyboardEvent, present: HTMLElement | null, steps: Steps): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined
  const { rows } = steps
  const before = (index: number) => rows.findLastIndex((row, at) => at <= index && isMessage(row))
  const after = (index: number) => rows.findIndex((row, at) => at >= index && isMessage(row))
  const isArrow = event.key === 'ArrowUp' || event.key === 'ArrowDown'
  if (!present) return isArrow ? before(steps.lastInSight()) : undefined
  const index = Number(present.closest<HTMLElement>('[data-index]')?.dataset.index)
  const { clientHeight } = event.currentTarget as HTMLElement
  switch (event.key) {
    case 'ArrowUp':
      return before(index - 1)
    case 'ArrowDown':
      return after(index + 1)
    case 'Home':
      return after(0)
    case 'End':
      return before(rows.length)
    case 'PageUp':
      return after(steps.indexAt(index, -clientHeight))
    case 'PageDown':
      return before(steps.indexAt(index, clientHeight))
    default:
      return undefined
  }
}
