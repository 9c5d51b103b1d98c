import { sql } from 'kysely'
import { coalesce, orderByKeys } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'
import { type RoomRow, roomColumns } from '../queries.ts'

/** A private room in the list by activity, with its number of participants. */
export type RoomPlace = RoomHead & { participants: number }

type RoomHead = { id: string; last_message_id: string | null }

/** The private rooms of a user with activity (newest message, else creation) before an id, the latest first. */
export async function listPrivateRoomPlaces(
  db: Db,
  userId: string,
  { before, limit }: { before: string; limit: number },
): Promise<RoomPlace[]> {
  const { rows } = await sql<RoomHead>`
    select room_id as id, last_message_id from room_heads
    where room_id = any(${await listPrivateRoomIds(db, userId)}::bigint[])
      and coalesce(last_message_id, room_id) < ${before}
    order by coalesce(last_message_id, room_id) desc limit ${limit}`.execute(db)
  return countParticipants(db, rows)
}

/** The ids of the private rooms of a user, in no order. */
async function listPrivateRoomIds(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ room_id: string }>`
    select room_id from room_recipients where user_id = ${userId}`.execute(db)
  return rows.map((row) => row.room_id)
}

/** These rooms with the numbers of their participants, in the same order. */
async function countParticipants(db: Db, heads: readonly RoomHead[]): Promise<RoomPlace[]> {
  const { rows } = await sql<{ room_id: string; count: number }>`
    select room_id, count(*)::integer as count from room_recipients
    where room_id = any(${heads.map((head) => head.id)}::bigint[]) group by room_id`.execute(db)
  const counts = new Map(rows.map((row) => [row.room_id, row.count]))
  return heads.map((head) => ({ ...head, participants: counts.get(head.id) ?? 0 }))
}

type RoomWithParticipantIds = Omit<RoomRow, 'participants' | 'last_message_id'> & {
  participant_ids: string[]
}

/**
 * Private rooms, in no order, with the ids of their participants by time of entering. The users are read separately, as
 * the rooms may share many of them.
 */
export async function listPrivateRoomsById(
  db: Db,
  ids: readonly string[],
): Promise<RoomWithParticipantIds[]> {
  const { rows } = await sql<RoomWithParticipantIds>`
    select ${roomColumns}, array(
        select user_id::text from room_recipients where room_id = rooms.id order by joined_at, user_id
      ) as participant_ids
    from rooms where rooms.id = any(${ids}::bigint[])`.execute(db)
  return rows
}

/** The id of the one-to-one room of two users, or undefined. */
export async function findPairRoomId(db: Db, one: string, other: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from rooms
    where user_low = least(${one}::bigint, ${other}::bigint)
      and user_high = greatest(${one}::bigint, ${other}::bigint)`.execute(db)
  return rows[0]?.id
}

/**
 * Inserts the one-to-one room of two users, unless it exists or is inserted concurrently. Returns whether it did.
 */
export async function insertPairRoom(db: Db, id: string, one: string, other: string): Promise<boolean> {
  const { rows } = await sql`
    insert into rooms (id, type, user_low, user_high)
    values (${id}, 1, least(${one}::bigint, ${other}::bigint), greatest(${one}::bigint, ${other}::bigint))
    on conflict (user_low, user_high) do nothing
    returning id`.execute(db)
  return rows.length > 0
}

/** The number of groups that a user owns. */
export async function countGroupsOf(db: Db, ownerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from rooms where owner_id = ${ownerId}`.execute(db)
  return rows[0]!.count
}

/** Inserts a group without participants. */
export async function insertGroup(
  db: Db,
  group: { id: string; owner_id: string; name: string | null },
): Promise<void> {
  await db
    .insertInto('rooms')
    .values({ ...group, type: 2 })
    .execute()
}

/** Inserts participants of a private room, in the given order. */
export async function insertRecipients(db: Db, roomId: string, userIds: readonly string[]): Promise<void> {
  await sql`
    insert into room_recipients (room_id, user_id)
    select ${roomId}, user_id from unnest(${userIds}::bigint[]) with ordinality as entering (user_id, place)
    order by place`.execute(db)
}

/** Locks a group against changes of its participants, and returns its owner; undefined if there is no such group. */
export function lockGroup(db: Db, id: string): Promise<{ owner_id: string | null } | undefined> {
  return db.selectFrom('rooms').select('owner_id').where('id', '=', id).forUpdate().executeTakeFirst()
}

/** The type of a private room, and its participants by time of entering, or undefined. Coalesced. */
export const findParticipants = coalesce<
  string,
  { id: string; type: number; user_ids: string[] } | undefined
>(async (db: Db, ids) => {
  const { rows } = await sql<{ id: string; type: number; user_ids: string[] }>`
      select id, type, array(
          select user_id::text from room_recipients where room_id = rooms.id order by joined_at, user_id
        ) as user_ids
      from rooms where id = any(${ids}::bigint[])`.execute(db)
  return orderByKeys(ids, rows, (row) => row.id)
})

/** The ids of the participants of a private room, in no order. */
export async function listRecipientIds(db: Db, roomId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('room_recipients')
    .select('user_id')
    .where('room_id', '=', roomId)
    .execute()
  return rows.map((row) => row.user_id)
}

/**
 * Locks the groups of a user, or only the one with this id, in id order, and returns their ids, without groups that the
 * user leaves concurrently.
 */
export async function lockGroupsOf(db: Db, userId: string, roomId: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select rooms.id from rooms join room_recipients on room_recipients.room_id = rooms.id
    where room_recipients.user_id = ${userId} and rooms.type = 2
      and (${roomId}::bigint is null or rooms.id = ${roomId})
    order by rooms.id for update`.execute(db)
  return rows.map((row) => row.id)
}

/** Deletes a user from the participants of rooms. */
export async function deleteRecipient(db: Db, userId: string, roomIds: readonly string[]): Promise<void> {
  await db
    .deleteFrom('room_recipients')
    .where('user_id', '=', userId)
    .where('room_id', '=', sql<string>`any(${roomIds}::bigint[])`)
    .execute()
}

/** Transfers those of these groups that a user owns to the longest-standing participant, people before bots. */
export async function transferGroups(db: Db, ownerId: string, roomIds: readonly string[]): Promise<void> {
  await sql`
    update rooms set owner_id = heirs.user_id
    from (
      select distinct on (room_id) room_id, user_id
      from room_recipients join users on users.id = user_id
      where room_id = any(${roomIds}::bigint[])
      order by room_id, bot, joined_at, user_id
    ) as heirs
    where rooms.id = heirs.room_id and rooms.owner_id = ${ownerId}`.execute(db)
}

/** Those of these rooms that have no participants. */
export async function listEmptyRoomIds(db: Db, roomIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${roomIds}::bigint[]) as wanted (id)
    where not exists (select from room_recipients where room_id = wanted.id)`.execute(db)
  return rows.map((row) => row.id)
}

/** Deletes rooms with their participants and pins. */
export async function deleteRooms(db: Db, roomIds: readonly string[]): Promise<void> {
  await db.deleteFrom('rooms').where('id', '=', sql<string>`any(${roomIds}::bigint[])`).execute()
}
