import { sql } from 'kysely'
import { type Db, isDistributed } from '../database/client.ts'

/** With more messages than these, what PostgreSQL estimates is shown. */
const maxCounted = 100_000

const estimateOfTable = sql`(select reltuples::float8 from pg_class where oid = 'messages'::regclass)`
const bytesOfServer = sql`pg_database_size(current_database())::float8`

/** The same where the message store is distributed: the coordinator has none of its rows. */
const estimateOfShards = sql`(
  select sum(result::float8) from run_command_on_shards('messages',
    $$select greatest(reltuples, 0) from pg_class where oid = '%s'::regclass$$) where success)`
const bytesOfServers = sql`(
  select sum(result::float8) from run_command_on_all_nodes('select pg_database_size(current_database())') where success)`

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
      (select count(*)::integer from (select 1 from messages limit ${sql.lit(maxCounted)}) as counted) as messages,
      ${isDistributed(db) ? estimateOfShards : estimateOfTable} as estimate,
      (select coalesce(sum((attachment->>'size')::bigint), 0)::float8 from messages
        where attachment is not null) as storage_bytes,
      ${isDistributed(db) ? bytesOfServers : bytesOfServer} as database_bytes`.execute(db)
  const { estimate, ...totals } = rows[0]!
  return { ...totals, messages: Math.max(totals.messages, totals.messages < maxCounted ? 0 : estimate) }
}
