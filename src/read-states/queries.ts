import { type RawBuilder, sql } from 'kysely'
import { type Db, isDistributed } from '../database/client.ts'
import type { HearthEvent } from '../events/events.ts'
import type { Entry } from '../events/log-queries.ts'
import { mentionRoomsOf } from '../messages/read/mention-queries.ts'
import { lockRoomOfMember, type RoomAccessRow, selectRoomAccess } from '../rooms/queries.ts'

/**
 * The number of mentions of a user after a message of a room, without those by the user and by users whom they block or
 * restrict.
 */
function mentionCount(userId: string, roomId: RawBuilder<unknown>, after: RawBuilder<unknown>) {
  return sql<number>`(select count(*)::int from mentions where ${countsAfter(userId, roomId, after)})`
}

/** Whether a mention is one that `mentionCount` counts. */
function countsAfter(userId: string, roomId: RawBuilder<unknown>, after: RawBuilder<unknown>) {
  return sql`
    mentions.user_id = ${userId} and mentions.room_id = ${roomId} and mentions.message_id > ${after}
      and author_id <> ${userId} and (expires_at is null or expires_at > now())
      and author_id not in (select target_id from blocks where blocks.user_id = ${userId})`
}

/** The last message of a room that a user has read, and the number of unread mentions after it. */
type ReadStateInRoom = { message_id: string; mention_count: number }

/**
 * Moves the read state of a user in a room forward to a message, and adds the event to the log. Undefined if the read
 * state is not older than the message, the room is deleted, or the user is leaving its house.
 */
export async function moveReadState(
  db: Db,
  userId: string,
  roomId: string,
  messageId: string,
): Promise<{ state: ReadStateInRoom; entry: Entry } | undefined> {
  const { rows } = await sql<ReadStateInRoom & { id: string; has_pushes: boolean }>`
    with ${lockRoomOfMember(userId, roomId)}, moved as (
      insert into read_states (user_id, room_id, message_id)
      select ${userId}, id, ${messageId} from locked_room
      on conflict (user_id, room_id) do update set message_id = excluded.message_id
        where read_states.message_id < excluded.message_id
      returning room_id, message_id
    ), logged as (
      insert into events (scope, count, events)
      select -${userId}::bigint, 1,
        json_build_array(json_build_object('type', 'read_state_updated', 'user_id', ${userId}::text, 'room_id', room_id::text))
      from moved
      returning id
    )
    select message_id, logged.id, ${mentionCount(userId, sql`${roomId}`, sql`${messageId}`)} as mention_count,
      exists (
        select 1 from pushed_rooms where pushed_rooms.user_id = ${userId} and pushed_rooms.room_id = ${roomId}
      ) as has_pushes
    from moved cross join logged`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { id, has_pushes, ...state } = row
  const event: HearthEvent = {
    type: 'read_state_updated',
    user_id: userId,
    room_id: roomId,
    ...(has_pushes && { has_pushes }),
  }
  return { state, entry: { id, events: [event] } }
}

/** The read state of a user in a room, or undefined if they have marked nothing there as read. */
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

/** A room that a user has marked as read up to a message, or (null) is only mentioned in. */
type ReadRoom = { room_id: string; message_id: string | null }

/**
 * The rooms that a user has marked as read, newest read message first, then those that they are only mentioned in; at
 * most `limit`.
 */
export async function listReadRooms(db: Db, userId: string, limit: number): Promise<ReadRoom[]> {
  const { rows } = await sql<ReadRoom>`
    with recursive ${mentionRoomsOf(userId)}
    select room_id, message_id from (
      (select room_id, message_id from read_states where user_id = ${userId} order by message_id desc limit ${limit})
      union
      select mentioned.room_id, read_states.message_id
      from (select room_id from mention_rooms where room_id is not null limit ${limit}) as mentioned
      left join read_states on read_states.user_id = ${userId} and read_states.room_id = mentioned.room_id
    ) as wanted
    order by message_id desc nulls last, room_id limit ${limit}`.execute(db)
  return rows
}

/** The access of a user to these rooms, with read message and number of unread mentions, in no order. */
export async function listReadStateRows(
  db: Db,
  userId: string,
  rooms: readonly ReadRoom[],
): Promise<(RoomAccessRow & ReadRoom & { mention_count: number })[]> {
  const ids = rooms.map((room) => room.room_id)
  const messageIds = rooms.map((room) => room.message_id)
  const read = sql`unnest(${ids}::bigint[], ${messageIds}::bigint[]) as read (room_id, message_id)`
  const [roomId, after] = [sql`read.room_id`, sql`coalesce(read.message_id, 0)`]
  // A query for each room reads only what it counts. Citus cannot run these, and counts for all rooms together.
  const counted = isDistributed(db)
    ? sql`
      select read.room_id, count(*)::int as count from ${read} join mentions on ${countsAfter(userId, roomId, after)}
      group by read.room_id`
    : sql`select room_id, ${mentionCount(userId, roomId, after)} as count from ${read}`
  const wanted = sql`(
    select read.room_id, message_id, ${userId}::bigint as user_id, coalesce(count, 0) as mention_count
    from ${read} left join counted on counted.room_id = read.room_id) as wanted`
  const { rows } = await sql<RoomAccessRow & ReadRoom & { mention_count: number }>`
    with counted as materialized (${counted})
    ${selectRoomAccess(wanted, sql`wanted.message_id, wanted.mention_count`)}`.execute(db)
  return rows
}

/** Deletes the read states of a user in the rooms of a house. Rows are locked in room order. */
export async function deleteReadStates(db: Db, houseId: string, userId: string): Promise<void> {
  await sql`
    with read as (
      select room_id from read_states
      where user_id = ${userId} and room_id = any(array(select id from rooms where house_id = ${houseId}))
      order by room_id for update
    )
    delete from read_states using read
    where user_id = ${userId} and read_states.room_id = read.room_id`.execute(db)
}
