import { isDatabaseAway } from '../db/away.ts'
import type { Db } from '../db/client.ts'
import type { Bus } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import { createdAnew } from './missed-operations.ts'
import { listWritten, type WrittenRow } from './send-queries.ts'

/** A message that may or may not have been written: the connection broke before the database answered. */
type Doubtful = { room_id: string; id: string }

/** Messages in doubt; those that turn out to be written are published after all. */
export type Doubts = {
  /** Whether any are in doubt: until then, the events of new messages must name the message before them. */
  readonly isOpen: boolean
  add(messages: readonly Doubtful[]): void
}

const lookEveryMs = 250
/** How long PostgreSQL may still work on a statement whose connection broke; `lock_timeout` is two seconds. */
const openForMs = 3_000
const maxDoubts = 1_000

/** Looks messages in doubt up until they are found, or have been missing for a while in a database that answers. */
export function openDoubts(db: Db, bus: Bus, origin: () => string): Doubts {
  /** By id, with the time since when each is known to be missing. */
  const open = new Map<string, Doubtful & { missingSinceMs?: number }>()
  let isLooking = false

  async function look(): Promise<void> {
    try {
      const rows = await listWritten(db, [...open.values()])
      const events = await Promise.all(rows.map(tellOf))
      for (const { id } of rows) open.delete(id)
      forgetMissing()
      await bus.publish(events)
    } catch (error) {
      if (!isDatabaseAway(error)) open.clear()
    }
  }

  /** The event names the message before it, so that gateways which already know of a later one ignore it. */
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
