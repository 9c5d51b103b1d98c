import { sql } from 'kysely'
import { type Db, isDistributed } from '../../database/client.ts'
import { lockInEachRoom } from './distributed-queries.ts'
import type { DeletedRow } from './queries.ts'

/** The ids of the rooms behind an id, in order. */
export async function listRoomIdsAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('rooms')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Messages of these rooms with ids below `before`, locked until the transaction ends, except those that somebody else
 * has locked: nobody waits, and no two processes delete the same.
 */
export async function lockOutdated(
  db: Db,
  roomIds: readonly string[],
  before: string,
  limit: number,
): Promise<DeletedRow[]> {
  if (isDistributed(db)) {
    const rooms = roomIds.map((room_id) => ({ room_id, condition: sql`id < ${before}` }))
    return lockInEachRoom(db, rooms, { limit, skipsLocked: true })
  }
  const { rows } = await sql<DeletedRow>`
    select outdated.room_id, outdated.id, outdated.house_id
    from unnest(${roomIds}::bigint[]) as looked (id)
    cross join lateral (
      select room_id, id, house_id from messages where room_id = looked.id and id < ${before}
      order by id limit ${limit} for update skip locked
    ) as outdated
    limit ${limit}`.execute(db)
  return rows
}
