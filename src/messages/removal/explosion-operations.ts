import { repeat } from '../../concurrency/repeat.ts'
import type { Db } from '../../database/client.ts'
import type { Bus } from '../../events/bus.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { eraseFiles } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { deleteWithEvents } from './operations.ts'
import { lockExploded } from './queries.ts'

const batchSize = 500
/** Events must be sent within 1 s after the end of a message (docs/api.md#messages). */
const sweepEveryMs = 400

/** Deletes a batch of expired messages. Returns the files to erase. Several processes may run it concurrently. */
export function deleteExploded(db: Db): Promise<Outcome<string[]>> {
  return commit(db, async (trx) => {
    const { files, events } = await deleteWithEvents(trx, await lockExploded(trx, batchSize))
    return { answer: files, events }
  })
}

/**
 * Starts to delete exploding messages when they expire, also those that expired while no process ran. Returns a function
 * that stops this and waits for a sweep in progress. Of consecutive failures only the first one is reported.
 */
export function startSweeping(
  db: Db,
  store: Store,
  bus: Bus,
  report: (error: unknown) => void,
): () => Promise<void> {
  async function run(): Promise<number> {
    const { answer: files, events } = await deleteExploded(db)
    // Delivered first, as the store may be slow, or the list of its files locked.
    await bus.deliver(events)
    await eraseFiles(db, store, files)
    // There are events of read states, too.
    return events.flatMap((entry) => entry.events).length >= batchSize ? 0 : sweepEveryMs
  }
  return repeat({ run, pauseAfterFailureMs: sweepEveryMs, report })
}
