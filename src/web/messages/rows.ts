import type { OutboxEntry } from '../state/outbox.ts'
import type { Message } from '../state/state.ts'

const runMs = 5 * 60_000

/**
 * What stands in the timeline, one below the other. What is new may begin with a day; a message may be following one of
 * the same author, shortly before and on the same day.
 */
export type Row = { key: string } & (
  | { kind: 'day'; day: number; isNew: boolean }
  | { kind: 'new' }
  | { kind: 'message'; message: Message; isFollowing: boolean }
  | { kind: 'unsent'; entry: OutboxEntry; isFollowing: boolean }
)

type Known = { messages: readonly Message[]; hasOlder: boolean; firstNew: string | undefined }

/**
 * The rows of these messages. While there are older ones, the first is left out: what stands above a row is known then,
 * so that no row changes when they come.
 */
export function toRows({ messages, hasOlder, firstNew }: Known, unsent: readonly OutboxEntry[]): Row[] {
  const rows: Row[] = []
  let dayEnd = Number.NEGATIVE_INFINITY
  let before: Message | undefined
  for (const message of messages) {
    const { id, timestamp, author_id } = message
    const startsDay = timestamp >= dayEnd
    if (startsDay) dayEnd = endOfDay(timestamp)
    if (before || !hasOlder) {
      const isInRun = before?.author_id === author_id && timestamp - before.timestamp < runMs
      const isNew = id === firstNew
      if (startsDay) rows.push({ kind: 'day', key: `day ${id}`, day: timestamp, isNew })
      else if (isNew) rows.push({ kind: 'new', key: 'new' })
      rows.push({ kind: 'message', key: id, message, isFollowing: isInRun && !startsDay })
    }
    before = message
  }
  unsent.forEach((entry, index) => {
    const isFollowing = index > 0 || before?.author_id === entry.user_id
    rows.push({ kind: 'unsent', key: entry.nonce, entry, isFollowing })
  })
  return rows
}

function endOfDay(time: number): number {
  return new Date(time).setHours(24, 0, 0, 0)
}

/** Where what is new begins; -1 if nothing is. */
export function newIndex(rows: readonly Row[]): number {
  return rows.findIndex((row) => row.kind === 'new' || (row.kind === 'day' && row.isNew))
}

/** Whether a row is a message, sent or not: those can have the focus. */
export function isMessage({ kind }: Row): boolean {
  return kind === 'message' || kind === 'unsent'
}
