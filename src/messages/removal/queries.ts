import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { attachmentFileOfRow } from '../queries.ts'

/** Lists rooms whose messages are to be deleted. */
export async function insertRemovedRooms(trx: Db, roomIds: readonly string[]): Promise<void> {
  await sql`insert into removed_rooms (room_id) select unnest(${roomIds}::bigint[])`.execute(trx)
}

/** Deletes the first mentions of rooms, `limit` at most, and returns how many. */
export async function deleteMentionsIn(trx: Db, roomIds: readonly string[], limit: number): Promise<number> {
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

/**
 * Deletes messages of rooms with their reactions, `limit` messages at most, and lists their attachments as discarded
 * files. Returns how many messages it has found: another transaction may have deleted some of them.
 */
export async function deleteMessagesIn(trx: Db, roomIds: readonly string[], limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with places as materialized (
      select messages.room_id, messages.id from unnest(${roomIds}::bigint[]) as removed (room_id)
      cross join lateral (
        select room_id, id from messages where room_id = removed.room_id order by id limit ${sql.lit(limit)}
      ) as messages
      limit ${sql.lit(limit)}
    ), deleted as (
      delete from messages using places
      where messages.room_id = places.room_id and messages.id = places.id
      returning messages.room_id, attachment
    ), unreacted as (
      delete from reactions using places where reactions.room_id = places.room_id and message_id = places.id
    ), uncounted as (
      delete from reaction_counts using places
      where reaction_counts.room_id = places.room_id and message_id = places.id
    ), discarded as (
      insert into discarded_files (name)
      select ${attachmentFileOfRow} from deleted where attachment is not null
      on conflict do nothing
    )
    select count(*)::int from places`.execute(trx)
  return rows[0]!.count
}

/** Takes rooms off the list. */
export async function deleteRemovedRooms(trx: Db, roomIds: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('removed_rooms')
    .where('room_id', '=', sql<string>`any(${roomIds}::bigint[])`)
    .execute()
}
