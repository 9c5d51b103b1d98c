import { sql } from 'kysely'
import pg from 'pg'
import { vi } from 'vitest'
import { db } from '../support/world.ts'

/** A shard that a command to a worker names. Shards of the same place are of the same rooms, or the same users. */
export type Touched = { table: string; column: 'room_id' | 'user_id'; place: string; worker: string }

/** The sweep of exploding messages, which runs beside everything. */
const sweep = /expires_at OPERATOR\(pg_catalog\.<=\) now\(\)/

type ShardRow = Touched & { id: string }

/** Makes the connections of this database report what they send to workers; those of the pool are made anew. */
export async function reportRemoteCommands(): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  await sql`alter database ${sql.id(rows[0]!.name)} set citus.log_remote_commands = on`.execute(db)
  await sql`
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and application_name = 'hearth' and pid <> pg_backend_pid()`.execute(
    db,
  )
  await db.connection().execute((own) => sql`set citus.log_remote_commands = on`.execute(own))
}

let shards: Map<string, ShardRow> | undefined

/** By name. */
async function readShards(): Promise<Map<string, ShardRow>> {
  if (shards) return shards
  const { rows } = await sql<ShardRow>`
    select shardid as id, logicalrelid::text as table, shardminvalue as place,
      column_to_column_name(logicalrelid, partkey) as column, nodename || ':' || nodeport as worker
    from pg_dist_shard join pg_dist_partition using (logicalrelid) join pg_dist_shard_placement using (shardid)`.execute(
    db,
  )
  shards = new Map(rows.map((row) => [`${row.table}_${row.id}`, row]))
  return shards
}

/** The shards that are read or written while something is done, once for each command. */
export async function touchedBy(work: () => Promise<unknown>): Promise<Touched[]> {
  const known = await readShards()
  const spy = vi.spyOn(pg.Client.prototype, 'emit')
  try {
    await work()
    const notices = spy.mock.calls.flatMap((call: unknown[]) => {
      return call[0] === 'notice' ? [(call[1] as Error).message] : []
    })
    return notices
      .filter((text) => !sweep.test(text))
      .flatMap((text) => (text.match(/\b[a-z_]+_[0-9]+\b/g) ?? []).flatMap((name) => known.get(name) ?? []))
  } finally {
    spy.mockRestore()
  }
}

/** How many places of the tables by a column are touched. */
export function placesBy(column: Touched['column'], touched: readonly Touched[]): number {
  return new Set(touched.filter((shard) => shard.column === column).map(({ place }) => place)).size
}

/** The worker of a room. */
export async function workerOf(roomId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select get_shard_id_for_distribution_column('messages', ${roomId}::bigint) as id`.execute(db)
  return (await readShards()).get(`messages_${rows[0]!.id}`)!.worker
}

/** The worker that has what a user has read and is mentioned in. */
export async function workerOfUser(userId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select get_shard_id_for_distribution_column('mentions', ${userId}::bigint) as id`.execute(db)
  return (await readShards()).get(`mentions_${rows[0]!.id}`)!.worker
}
