import { isDatabaseAway } from '../db/away.ts'
import type { Db } from '../db/client.ts'
import type { HearthEvent } from '../events/events.ts'
import { createdAnew } from './missed-operations.ts'
import { listWritten, type WrittenRow } from './send-queries.ts'

/** A message of which nobody knows whether it was written: the connection broke before the answer came. */
type Doubtful = { room_id: string; id: string }

/** Messages in doubt: those that turn out to be there are told of after all. */
export type Doubts = {
  /** Whether some may still turn up: what is sent meanwhile must name what is before it. */
  readonly isOpen: boolean
  add(messages: readonly Doubtful[]): void
}

const lookEveryMs = 250
/** PostgreSQL may still work on a statement whose connection broke; it waits for no lock longer than two seconds. */
const openForMs = 3_000
const maxDoubts = 1_000

/** Looks for messages in doubt until they are found, or were still not there a while after the database answered. */
export function openDoubts(
  db: Db,
  publish: (events: HearthEvent[]) => Promise<void>,
  origin: () => string,
): Doubts {
  /** By id; since when each is known to be missing. */
  const open = new Map<string, Doubtful & { missingSinceMs?: number }>()
  let isLooking = false

  async function look(): Promise<void> {
    try {
      const rows = await listWritten(db, [...open.values()])
      const events = await Promise.all(rows.map(tellOf))
      for (const { id } of rows) open.delete(id)
      forgetMissing()
      await publish(events)
    } catch (error) {
      if (!isDatabaseAway(error)) open.clear()
    }
  }

  /** It names what is before it, so that whoever has heard of a later one, and so of it, does not hear of it again. */
  async function tellOf(row: WrittenRow): Promise<HearthEvent> {
    return { ...(await createdAnew(db, row, row.house_id, origin())), after: row.after }
  }

  function forgetMissing(): void {
    const now = performance.now()
    for (const [id, doubtful] of open) {
      doubtful.missingSinceMs ??= now
      if (now - doubtful.missingSinceMs >= openForMs) open.delete(id)
    }
  }

  async function lookUntilClear(): Promise<void> {
    await look()
    isLooking = open.size > 0
    if (isLooking) setTimeout(lookUntilClear, lookEveryMs).unref()
  }

  return {
    get isOpen() {
      return open.size > 0
    },
    add(messages) {
      for (const { room_id, id } of messages) open.set(id, { room_id, id })
      for (const id of [...open.keys()].slice(0, -maxDoubts)) open.delete(id)
      if (isLooking || open.size === 0) return
      isLooking = true
      void lookUntilClear()
    },
  }
}
