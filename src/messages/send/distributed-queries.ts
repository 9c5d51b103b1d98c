import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/**
 * Locks rooms in id order until the transaction ends, and then their heads, shard by shard; with `skipsLocked` without the
 * rooms that somebody else has locked. Returns the locked rooms. The heads have to be locked, too: the change of another
 * transaction becomes visible on a worker a moment after its room is free.
 */
export async function lockHeads(
  trx: Db,
  roomIds: readonly string[],
  { skipsLocked = false } = {},
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string; shard: string }>`
    select id, get_shard_id_for_distribution_column('room_heads', id) as shard
    from rooms where id = any(${roomIds}::bigint[]) order by id
    for no key update ${skipsLocked ? sql`skip locked` : sql``}`.execute(trx)
  for (const shard of Map.groupBy(rows, (row) => row.shard).values()) {
    const ids = shard.map(({ id }) => id)
    await sql`select room_id from room_heads where room_id = any(${ids}::bigint[]) for no key update`.execute(
      trx,
    )
  }
  return new Set(rows.map(({ id }) => id))
}
