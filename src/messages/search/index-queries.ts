import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** One process at a time: another would wait for it, and keep a connection meanwhile. */
const indexingLock = 0x48494458

/**
 * Adds to the search index what was written since the last time. A message first goes to the pending list of the index,
 * which a search reads through; whoever fills that list has to empty it, which takes a batch of sends 150 ms.
 */
export async function indexPendingMessages(db: Db): Promise<void> {
  await sql`select gin_clean_pending_list('messages_search_by_time') from pg_try_advisory_xact_lock(${sql.lit(indexingLock)}) as locked
    where locked`.execute(db)
}
