import { repeat } from '../../concurrency/repeat.ts'
import type { Db } from '../../database/client.ts'
import type { Bus } from '../../events/bus.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { eraseFiles } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { deleteMessages, lockExploded } from '../queries.ts'

const explodedAtOnce = 500
/** Events go out within 1 s of the end of a message (docs/api.md#messages). */
const sweepEveryMs = 400

/** Deletes expired exploding messages; the answer is the files that are now to be erased. Safe in several processes at once. */
export function deleteExploded(db: Db): Promise<Outcome<string[]>> {
  return commit(db, async (trx) => {
    const exploded = await lockExploded(trx, explodedAtOnce)
    const files = exploded.length > 0 ? await deleteMessages(trx, exploded) : []
    const events = exploded.map(({ room_id, house_id, id: message_id }): HearthEvent => {
      return { type: 'message_deleted', room_id, house_id, message_id }
    })
    return { answer: files, events }
  })
}

/**
 * Deletes exploding messages as they expire, and those that expired while no process ran. Returns how to stop, which
 * waits for a sweep in progress.
 */
export function startSweeping(
  db: Db,
  store: Store,
  bus: Bus,
  report: (error: unknown) => void,
): () => Promise<void> {
  async function run(): Promise<number> {
    const { answer: files, events } = await deleteExploded(db)
    // Told first, as the store may be slow, or the list of its files locked.
    await bus.deliver(events)
    await eraseFiles(db, store, files)
    const isMoreDue = events.flatMap((entry) => entry.events).length === explodedAtOnce
    return isMoreDue ? 0 : sweepEveryMs
  }
  return repeat({ run, pauseAfterFailureMs: sweepEveryMs, report })
}
