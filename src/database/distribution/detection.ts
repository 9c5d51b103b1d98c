import type pg from 'pg'
import type { TimedClient } from '../pool/timed-client.ts'

/** What a pool knows of its database. */
export type Distribution = {
  /** Whether the message store is distributed; false before the first connection. */
  readonly isDistributed: boolean
  /** Prepares a new connection. Throws where the database does not answer. */
  prepare(client: TimedClient): Promise<void>
}

const checkWithinMs = 2_000

// Citus chooses shards by the values of a statement: a plan for any values, which is kept for the plain tables, looks too
// expensive to PostgreSQL then. Sequential: in parallel, a statement that changes several shards uses several connections,
// and its transaction could then change no further table.
const settings = 'set plan_cache_mode = auto; set citus.multi_shard_modify_mode = sequential'

/** Finds out by the first connection of a pool whether its message store is distributed. */
export function detectDistribution(): Distribution {
  let found: boolean | undefined

  async function prepare(client: TimedClient): Promise<void> {
    found ??= await isStoreDistributed(client)
    if (found) await client.query(settings)
  }

  return {
    get isDistributed() {
      return found ?? false
    },
    prepare: (client) => client.within(checkWithinMs, prepare(client)),
  }
}

/** Asks a PostgreSQL without Citus one thing only: there the second statement would fail. */
async function isStoreDistributed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    `select to_regclass('pg_dist_partition') is not null as has`,
  )
  if (!rows[0]!.has) return false
  const { rowCount } = await client.query(
    `select from pg_dist_partition where logicalrelid = to_regclass('messages')`,
  )
  return rowCount === 1
}
