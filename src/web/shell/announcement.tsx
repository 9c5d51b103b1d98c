import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { onPersonLeft } from '../state/store.ts'
import { errorText, t } from '../texts/texts.ts'

const shownMs = 5_000
/** What can be undone stays longer: one has to read it first, and to reach its button. */
const undoableMs = 10_000

type Said = { text: string; undo?: (() => void) | undefined; isFailure?: boolean }

const said = signal<Said | undefined>(undefined)
let timer: number | undefined

/** Says for a moment what one does not see otherwise: what is done, perhaps with a way to undo it, or what has failed. */
export function announce(text: string, more: Omit<Said, 'text'> = {}): void {
  clearTimeout(timer)
  said.value = { text, ...more }
  timer = setTimeout(hush, more.undo ? undoableMs : shownMs)
}

/** Says that something is done, with a way to undo it; where that fails, why. */
export function offerUndo(text: string, undo: () => Promise<unknown>): void {
  announce(text, { undo: () => void undo().catch(announceFailure) })
}

/** Says what has failed. */
export function announceFailure(error: unknown): void {
  announce(errorText(error), { isFailure: true })
}

function hush(): void {
  clearTimeout(timer)
  said.value = undefined
}

onPersonLeft(hush)

/** The number of timelines on the page: what is announced stands there, above the button that leads to the end. */
const timelines = signal(0)

/** Where announcements stand on a page without a timeline. */
export function Announcement() {
  return timelines.value === 0 && <Announced />
}

/** Where announcements stand in a timeline. */
export function TimelineAnnouncement() {
  useLayoutEffect(() => {
    timelines.value += 1
    return () => {
      timelines.value -= 1
    }
  }, [])
  return <Announced />
}

function Announced() {
  const { text, undo, isFailure } = said.value ?? {}
  return (
    <div class="announcement">
      <p role="status">{isFailure ? '' : text}</p>
      {isFailure && <p role="alert">{text}</p>}
      {undo && (
        <button
          type="button"
          class="link"
          onClick={() => {
            hush()
            undo()
          }}
        >
          {t().undo}
        </button>
      )}
    </div>
  )
}
