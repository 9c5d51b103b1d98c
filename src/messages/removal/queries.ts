import { sql } from 'kysely'
import { type Db, isDistributed } from '../../database/client.ts'
import { deleteUserRowsIn, listRoomsOfExploded, lockInEachRoom } from './distributed-queries.ts'

/** Lists rooms whose messages are to be deleted. */
export async function insertRemovedRooms(trx: Db, roomIds: readonly string[]): Promise<void> {
  await sql`insert into removed_rooms (room_id) select unnest(${roomIds}::bigint[])`.execute(trx)
}

/** Deletes the first mentions of rooms, `limit` at most, and returns how many. */
export async function deleteMentionsIn(trx: Db, roomIds: readonly string[], limit: number): Promise<number> {
  if (isDistributed(trx)) return deleteUserRowsIn(trx, 'mentions', roomIds, limit)
  const { numAffectedRows } = await sql`
    delete from mentions where ctid = any(array(
      select ctid from mentions where room_id = any(${roomIds}::bigint[]) limit ${sql.lit(limit)}
    ))`.execute(trx)
  return Number(numAffectedRows)
}

/** Locks some of the removed rooms, except those that another process has locked. */
export async function lockRemovedRooms(trx: Db, limit: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('removed_rooms')
    .select('room_id')
    .orderBy('room_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map((row) => row.room_id)
}

/** Locks the first messages of each of these rooms, `limit` at most: as many unless there are no more. */
export async function lockMessagesIn(
  trx: Db,
  roomIds: readonly string[],
  limit: number,
): Promise<{ room_id: string; id: string }[]> {
  if (isDistributed(trx)) {
    const rooms = roomIds.map((room_id) => ({ room_id, condition: sql`true` }))
    return lockInEachRoom(trx, rooms, { limit, skipsLocked: false })
  }
  const { rows } = await sql<{ room_id: string; id: string }>`
    select messages.room_id, messages.id from unnest(${roomIds}::bigint[]) as removed (room_id)
    cross join lateral (
      select room_id, id from messages where room_id = removed.room_id order by id limit ${sql.lit(limit)} for update
    ) as messages
    limit ${sql.lit(limit)}`.execute(trx)
  return rows
}

/** A message whose deletion concerns those who can read its room. */
export type DeletedRow = { room_id: string; house_id: string | null; id: string }

/** Locks expired messages that no other process has locked, oldest expiry first. */
export async function lockExploded(db: Db, limit: number): Promise<DeletedRow[]> {
  if (isDistributed(db)) {
    return lockInEachRoom(db, await listRoomsOfExploded(db, limit), { limit, skipsLocked: true })
  }
  return db
    .selectFrom('messages')
    .select(['room_id', 'house_id', 'id'])
    .where('expires_at', '<=', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
}

/** Takes rooms off the list. */
export async function deleteRemovedRooms(trx: Db, roomIds: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('removed_rooms')
    .where('room_id', '=', sql<string>`any(${roomIds}::bigint[])`)
    .execute()
}
