import { repeat } from '../../concurrency/repeat.ts'
import type { Db } from '../../database/client.ts'
import { indexPendingMessages } from './index-queries.ts'

/** At 5,000 sends a second, 1,000 messages are then pending, which take some 15 ms. */
const indexEveryMs = 200

/**
 * Adds messages to the search index soon after they were sent. Returns how to stop, which waits for a run in progress. Of
 * consecutive failures only the first is reported.
 */
export function startIndexing(db: Db, report: (error: unknown) => void): () => Promise<void> {
  async function run(): Promise<number> {
    await indexPendingMessages(db)
    return indexEveryMs
  }
  return repeat({ run, pauseAfterFailureMs: indexEveryMs, report })
}
