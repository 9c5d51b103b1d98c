import { sql } from 'kysely'
import type { Db } from '../database/client.ts'

/** With more messages than these, what PostgreSQL estimates is shown. */
const maxCounted = 100_000

type Totals = {
  users: number
  houses: number
  messages: number
  storage_bytes: number
  database_bytes: number
}

/** How much there is of what; bots are not counted. */
export async function getTotals(db: Db): Promise<Totals> {
  const { rows } = await sql<Totals & { estimate: number }>`
    select
      (select count(*)::integer from users where deleted_at is null and not bot) as users,
      (select count(*)::integer from houses) as houses,
      (select count(*)::integer from (select from messages limit ${sql.lit(maxCounted)}) as counted) as messages,
      (select reltuples::float8 from pg_class where oid = 'messages'::regclass) as estimate,
      (select coalesce(sum((attachment->>'size')::bigint), 0)::float8 from messages
        where attachment is not null) as storage_bytes,
      pg_database_size(current_database())::float8 as database_bytes`.execute(db)
  const { estimate, ...totals } = rows[0]!
  return { ...totals, messages: Math.max(totals.messages, totals.messages < maxCounted ? 0 : estimate) }
}
