import { sql } from 'kysely'
import { coalesce } from '../database/batching/coalesce.ts'
import { prepareRead } from '../database/batching/reads.ts'
import { type Db, isDistributed } from '../database/client.ts'
import type { HearthEvent } from '../events/events.ts'
import type { Entry } from '../events/log-queries.ts'
import { listBlockedIds } from '../friendships/block-queries.ts'
import { unknownId } from '../ids.ts'
import { mentionRoomsOf } from '../messages/read/mention-queries.ts'
import { lockRoomOfMember } from '../rooms/queries.ts'

type Counted = {
  user_id: string
  roomIds: readonly string[]
  after: readonly string[]
  blocked: readonly string[]
}

type CountRow = { room_id: string; count: number }

/** The rooms, each with the id behind which mentions are unread. */
const wantedRooms = ({ roomIds, after }: Counted) =>
  sql`unnest(${roomIds}::bigint[], ${after}::bigint[]) as wanted (room_id, after)`

const isCounted = ({ user_id, blocked }: Counted) => sql`
  mentions.user_id = ${user_id} and mentions.room_id = wanted.room_id and message_id > wanted.after
    and author_id <> ${user_id} and author_id <> all(${blocked}::bigint[])
    and (expires_at is null or expires_at > now())`

// A query for each room reads only what it counts.
const readUnread = prepareRead(
  (counted: Counted) => sql<CountRow>`
    select room_id, (select count(*)::integer from mentions where ${isCounted(counted)}) as count
    from ${wantedRooms(counted)}`,
)

// Citus knows no query for each of several rooms. Rooms without unread mentions are missing.
const readUnreadOnShards = prepareRead(
  (counted: Counted) => sql<CountRow>`
    select wanted.room_id, count(*)::integer as count
    from ${wantedRooms(counted)} join mentions on ${isCounted(counted)} group by wanted.room_id`,
)

/**
 * The numbers of mentions of a user in rooms after a message (null: all), by room, without those by the user and by users
 * whom they block or restrict.
 */
export async function countUnreadMentions(
  db: Db,
  user_id: string,
  rooms: readonly ReadRoom[],
): Promise<Map<string, number>> {
  const roomIds = rooms.map((room) => room.room_id)
  const after = rooms.map((room) => room.message_id ?? unknownId)
  const read = isDistributed(db) ? readUnreadOnShards : readUnread
  const count = (blocked: readonly string[]) => read(db, { user_id, roomIds, after, blocked })
  let rows = await count([])
  // Mostly nothing is unread, and nobody blocked.
  const blocked = rows.some((row) => row.count > 0) ? await listBlockedIds(db, user_id) : []
  if (blocked.length > 0) rows = await count(blocked)
  return new Map(rows.map((row) => [row.room_id, row.count]))
}

/**
 * Moves the read state of a user in a room forward to a message, and adds the event to the log. Undefined if the read
 * state is not older than the message, the room is deleted, or the user is leaving its house.
 */
export async function moveReadState(
  db: Db,
  userId: string,
  roomId: string,
  messageId: string,
): Promise<Entry | undefined> {
  const { rows } = await sql<{ id: string; has_pushes: boolean }>`
    with ${lockRoomOfMember(userId, roomId)}, moved as (
      insert into read_states (user_id, room_id, message_id)
      select ${userId}, id, ${messageId} from locked_room
      on conflict (user_id, room_id) do update set message_id = excluded.message_id
        where read_states.message_id < excluded.message_id
      returning room_id
    ), logged as (
      insert into events (scope, count, events)
      select -${userId}::bigint, 1,
        json_build_array(json_build_object('type', 'read_state_updated', 'user_id', ${userId}::text, 'room_id', room_id::text))
      from moved
      returning id
    )
    select logged.id, exists (
        select 1 from pushed_rooms where pushed_rooms.user_id = ${userId} and pushed_rooms.room_id = ${roomId}
      ) as has_pushes
    from moved cross join logged`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { id, has_pushes } = row
  const event: HearthEvent = {
    type: 'read_state_updated',
    user_id: userId,
    room_id: roomId,
    ...(has_pushes && { has_pushes }),
  }
  return { id, events: [event] }
}

/** The last messages that users have marked as read, by user and room (`"user room"`). */
export async function listReadMarks(
  db: Db,
  keys: readonly { user_id: string; room_id: string }[],
): Promise<Map<string, string>> {
  const userIds = keys.map((key) => key.user_id)
  const roomIds = keys.map((key) => key.room_id)
  const { rows } = await sql<{ user_id: string; room_id: string; message_id: string }>`
    select distinct read_states.user_id, read_states.room_id, message_id
    from unnest(${userIds}::bigint[], ${roomIds}::bigint[]) as wanted (user_id, room_id)
    join read_states on read_states.user_id = wanted.user_id and read_states.room_id = wanted.room_id`.execute(
    db,
  )
  return new Map(rows.map((row) => [`${row.user_id} ${row.room_id}`, row.message_id]))
}

/** The last message that a user has marked as read in a room; undefined if there is none. */
export const findReadMark = coalesce<{ user_id: string; room_id: string }, string | undefined>(
  async (db, keys) => {
    const marks = await listReadMarks(db, keys)
    return keys.map(({ user_id, room_id }) => marks.get(`${user_id} ${room_id}`))
  },
)

/** A room that a user has marked as read up to a message, or (null) has not. */
export type ReadRoom = { room_id: string; message_id: string | null }

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

/** Deletes the read states of a user in the rooms of a house. Rows are locked in room order. */
export async function deleteReadStates(db: Db, houseId: string, userId: string): Promise<void> {
  const rooms = await db.selectFrom('rooms').select('id').where('house_id', '=', houseId).execute()
  await sql`
    with read as (
      select room_id from read_states
      where user_id = ${userId} and room_id = any(${rooms.map((room) => room.id)}::bigint[])
      order by room_id for update
    )
    delete from read_states using read
    where user_id = ${userId} and read_states.room_id = read.room_id`.execute(db)
}
