import { setTimeout as pause } from 'node:timers/promises'
import { awayCheck, type Db } from '../db/client.ts'
import { onDoubtfulCommit } from '../db/commits.ts'
import type { Bus } from './bus.ts'
import type { HearthEvent } from './events.ts'

/** How long PostgreSQL may still work on a commit whose connection broke. */
const openForMs = 3_000

/**
 * When a commit was not answered, publishes that its events are in doubt, as soon as it must be over. Returns how to
 * stop that.
 */
export function publishDoubts(db: Db, bus: Bus): () => void {
  const isAway = awayCheck(db)
  let isStopped = false

  async function publishLater(events: readonly HearthEvent[]): Promise<void> {
    do await pause(openForMs, undefined, { ref: false })
    while (isAway())
    if (!isStopped) await bus.publish([{ type: 'events_doubtful', events }])
  }

  const stop = onDoubtfulCommit(db, (result) => {
    const events = eventsIn(result)
    if (events.length > 0) void publishLater(events)
  })
  return () => {
    isStopped = true
    stop()
  }
}

/** The events that the work of a transaction returns, alone or with the answer. */
function eventsIn(result: unknown): HearthEvent[] {
  const { events = result } = (result ?? {}) as { events?: unknown }
  return Array.isArray(events) ? events.filter(isEvent) : []
}

function isEvent(value: unknown): value is HearthEvent {
  return typeof (value as HearthEvent | null)?.type === 'string'
}
