import { sql } from 'kysely'
import type pg from 'pg'
import { assignNodeNumber, makeIdsAfter } from '../ids.ts'
import type { Db } from './client.ts'
import { connectWithPulse } from './pulse.ts'

/** Namespace of the advisory locks that stand for node numbers ('HRTH'). */
const lockSpace = 0x48525448
const nodeNumbers = 1024
const retryMs = 250

/** Whether any process holds a node number in this database: a server that runs, or a command that makes ids. */
export async function isInUse(db: Db): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (
      select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and classid = ${lockSpace}::oid and objsubid = 2
    ) as used`.execute(db)
  return rows[0]!.used
}

/** Makes new ids greater than every existing one, even if the clock has stepped back since that one was made. */
export async function continueIds(db: Db): Promise<void> {
  const { rows } = await sql<{ id: string | null }>`
    select greatest((select max(id) from users), (select max(id) from sessions), (select max(id) from houses),
      (select max(id) from roles), (select max(id) from entities), (select max(id) from rooms),
      (select max(last_message_id) from rooms)) as id`.execute(db)
  const greatest = rows[0]?.id
  if (greatest) makeIdsAfter(greatest)
}

/**
 * Claims a node number for the ids of this process: the first of 1,024 advisory locks that nobody holds. A connection
 * of its own holds it; when that breaks, no ids are made until a number is claimed again. Returns how to give the
 * number back.
 */
export async function claimNodeNumber(databaseUrl: string): Promise<() => Promise<void>> {
  let closing = false
  let retry: NodeJS.Timeout | undefined
  let client = await connect()

  async function connect(): Promise<pg.Client> {
    const fresh = await connectWithPulse(databaseUrl, 'hearth node number')
    try {
      const { rows } = await fresh.query<{ n: number }>(
        `select n from generate_series(0, ${nodeNumbers - 1}) n where pg_try_advisory_lock(${lockSpace}, n) limit 1`,
      )
      const claimed = rows[0]
      if (!claimed) throw new Error(`All ${nodeNumbers} node numbers are taken`)
      fresh.on('end', lose)
      assignNodeNumber(claimed.n)
      return fresh
    } catch (error) {
      await fresh.end()
      throw error
    }
  }

  function lose(): void {
    if (closing) return
    assignNodeNumber(null)
    retry = setTimeout(() => {
      connect().then((fresh) => {
        client = fresh
        if (closing) fresh.end()
      }, lose)
    }, retryMs)
  }

  return async () => {
    closing = true
    clearTimeout(retry)
    await client.end()
  }
}
