import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { mentionRoomsOf } from '../messages/mention-queries.ts'
import { openRoomFor, type RoomAccessRow, selectRoomAccess } from '../rooms/queries.ts'

/** The number of unread mentions of a user after a message of a room, except by themself or people they blocked. */
function mentionCount(userId: string, roomId: RawBuilder<unknown>, after: RawBuilder<unknown>) {
  return sql<number>`(
    select count(*)::int from mentions
    where mentions.user_id = ${userId} and mentions.room_id = ${roomId} and message_id > ${after}
      and author_id <> ${userId} and (expires_at is null or expires_at > now())
      and not exists (select from blocks where blocks.user_id = ${userId} and target_id = author_id))`
}

/** The last message of a room that a user has read, and how many mentions of them count as unread after it. */
type ReadStateInRoom = { message_id: string; mention_count: number }

/**
 * Moves the read state of a user in a room forward to a message. Undefined when it stands there or further on, the room
 * is gone, or the user leaves its house at this moment. Moves at once are answered in the order in which they are made.
 */
export async function moveReadState(
  db: Db,
  userId: string,
  roomId: string,
  messageId: string,
): Promise<ReadStateInRoom | undefined> {
  const { rows } = await sql<ReadStateInRoom>`
    with ${openRoomFor(userId, roomId)}, moved as (
      insert into read_states (user_id, room_id, message_id)
      select ${userId}, id, ${messageId} from open_room
      on conflict (user_id, room_id) do update set message_id = excluded.message_id
        where read_states.message_id < excluded.message_id
      returning room_id, message_id
    )
    select message_id, ${mentionCount(userId, sql`moved.room_id`, sql`moved.message_id`)} as mention_count
    from moved`.execute(db)
  return rows[0]
}

/** The read state of a user in a room, or undefined when they have acked nothing there. */
export async function findReadState(
  db: Db,
  userId: string,
  roomId: string,
): Promise<ReadStateInRoom | undefined> {
  const { rows } = await sql<ReadStateInRoom>`
    select message_id, ${mentionCount(userId, sql`read_states.room_id`, sql`read_states.message_id`)} as mention_count
    from read_states where user_id = ${userId} and room_id = ${roomId}`.execute(db)
  return rows[0]
}

type ReadStateRow = RoomAccessRow & { message_id: string | null; mention_count: number }

/** Where a user stands in the rooms they have acked or are mentioned in, and their access to these. */
export async function listReadStateRows(db: Db, userId: string): Promise<ReadStateRow[]> {
  const { rows } = await sql<ReadStateRow>`
    with recursive ${mentionRoomsOf(userId)}, states as materialized (
      select room_id, message_id from read_states where user_id = ${userId}
    ), wanted as (
      select room_id, message_id, ${userId}::bigint as user_id
      from mention_rooms full join states using (room_id) where room_id is not null
    )
    select access.*, wanted.message_id,
      ${mentionCount(userId, sql`wanted.room_id`, sql`coalesce(wanted.message_id, 0)`)} as mention_count
    from (${selectRoomAccess(sql`wanted`)}) as access join wanted on wanted.room_id = access.room_id`.execute(
    db,
  )
  return rows
}

/** Removes what a user has read in the rooms of a house. Rows are locked in room order. */
export async function deleteReadStates(db: Db, houseId: string, userId: string): Promise<void> {
  await sql`
    with read as (
      select room_id from read_states
      where user_id = ${userId} and room_id in (select id from rooms where house_id = ${houseId})
      order by room_id for update
    )
    delete from read_states using read
    where user_id = ${userId} and read_states.room_id = read.room_id`.execute(db)
}
