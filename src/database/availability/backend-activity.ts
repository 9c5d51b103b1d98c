import pg from 'pg'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'
import { DatabaseClient } from '../servers/database-client.ts'

const answerWithinMs = 1_500
/** The wait events of a backend whose commit is stuck, in lower case: PostgreSQL 17 changed how some are written. */
const commitWaits = ['walwrite', 'walsync', 'walinsert', 'walbufmapping', 'syncrep']

/** The process ids of backends that work on a statement, and of those among them whose commit waits for storage. */
type BackendActivity = { working: Set<number>; committing: Set<number> }

/**
 * Reads the activity of these backends from PostgreSQL over a new connection. Undefined where PostgreSQL answers but
 * the activity is not known: all its connections are taken, or a pooler in between hides the process ids. Throws when
 * it does not answer.
 */
export async function findBackendActivity(
  databaseUrl: string,
  pids: readonly (number | null)[],
): Promise<BackendActivity | undefined> {
  const client = new DatabaseClient({ connectionString: databaseUrl, application_name: 'hearth monitor' })
  client.on('error', () => {})
  const stopWaiting = stallTolerantTimeout(answerWithinMs, () => client.destroy())
  try {
    await client.connect()
    const { rows } = await client.query<{ self: number; working: number[]; committing: number[] }>(
      `with busy as (select pid, lower(wait_event) as waits_for from pg_stat_activity
         where pid = any($1::int[]) and (state is null or state not like 'idle%'))
       select pg_backend_pid() self, array(select pid from busy) working,
         array(select pid from busy where waits_for = any($2)) committing`,
      [pids, commitWaits],
    )
    const { self, working, committing } = rows[0]!
    if (self !== client.processID) return undefined
    return { working: new Set(working), committing: new Set(committing) }
  } catch (error) {
    if (error instanceof pg.DatabaseError && !/^(57P0|08)/.test(error.code ?? '')) return undefined
    throw error
  } finally {
    stopWaiting()
    client.destroy()
  }
}
