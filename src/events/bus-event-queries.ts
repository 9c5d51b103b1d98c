import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

/** The channel of the notifications that rows were added to `bus_events`. */
export const busChannel = 'hearth_events'
/** Advisory lock that makes the ids of `bus_events` rise in commit order ('EVTS'). */
const orderLock = 0x45565453
const keptSeconds = 60

/** Undefined when the table is empty. */
export async function findNewestId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('bus_events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id
}

/** The rows that were added after this one, in that order. */
export function listAfter(db: Db, id: string) {
  return db
    .selectFrom('bus_events')
    .select(['id', 'sender', 'payload'])
    .where('id', '>', id)
    .orderBy('id')
    .execute()
}

/** Adds a row, and wakes every process that listens. */
export async function insertBusEvent(db: Db, row: { sender: string; payload: string }): Promise<void> {
  await sql`
    with turn as materialized (select pg_advisory_xact_lock(${orderLock})),
      added as (insert into bus_events (sender, payload) select ${row.sender}, ${row.payload} from turn)
    select pg_notify(${busChannel}, '') from turn`.execute(db)
}

/** Deletes the rows that every process has read long ago. */
export async function deleteOld(db: Db): Promise<void> {
  const age = sql`${keptSeconds} * interval '1 second'`
  await sql`delete from bus_events where created_at < now() - ${age}`.execute(db)
}
