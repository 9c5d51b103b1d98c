import { sql } from 'kysely'
import { type Db, isDistributed } from '../../database/client.ts'
import type { StoredAttachment } from '../../messages/queries.ts'
import { fullUserColumns } from '../../users/queries.ts'

/** An archive outlives exploding messages, so it has none. */
const isExported = sql`expires_at is null`

/** The account of a user, without their password and second factor. */
export function getExportedUser(db: Db, id: string) {
  return db.selectFrom('users').select(fullUserColumns).where('id', '=', id).executeTakeFirstOrThrow()
}

/** The login sessions of a user, oldest first. */
export function listExportedSessions(db: Db, userId: string) {
  return db
    .selectFrom('sessions')
    .select(['id', 'last_seen_at', 'client', 'address'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

/** The push subscriptions of a user, oldest first, without the keys that pushes are encrypted with. */
export function listExportedPushSubscriptions(db: Db, userId: string) {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'session_id', 'endpoint', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

/** The bots of a user, oldest first. */
export function listExportedBots(db: Db, ownerId: string) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'name', 'bio', 'public'])
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
}

/** The houses of a user with their roles there, in order of joining. */
export async function listExportedHouses(db: Db, userId: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select houses.id, houses.name, houses.owner_id = members.user_id as is_owner, members.joined_at,
      array(
        select roles.name from member_roles join roles on roles.id = member_roles.role_id
        where member_roles.house_id = houses.id and member_roles.user_id = members.user_id
        order by roles.position desc, roles.id
      ) as roles
    from members join houses on houses.id = members.house_id
    where members.user_id = ${userId} order by members.joined_at, houses.id`.execute(db)
  return rows
}

/** A page of the private rooms of a user with their participants, by id. */
export async function listExportedPrivateRooms(
  db: Db,
  userId: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select rooms.id, rooms.name, case rooms.type when 1 then 'one-to-one' else 'group' end as kind, own.joined_at,
      (
        select json_agg(json_build_object('id', users.id::text, 'username', users.username) order by users.id)
        from room_recipients join users on users.id = room_recipients.user_id
        where room_recipients.room_id = rooms.id
      ) as participants
    from room_recipients as own join rooms on rooms.id = own.room_id
    where own.user_id = ${userId} and rooms.id > ${after}
    order by rooms.id limit ${limit}`.execute(db)
  return rows
}

/** How many messages of a user are exported, and how many of them have a file. */
export async function countOwnMessages(db: Db, userId: string): Promise<{ messages: number; files: number }> {
  const { rows } = await sql<{ messages: number; files: number }>`
    select count(*)::float8 as messages, count(attachment)::float8 as files
    from messages where author_id = ${userId} and ${isExported}`.execute(db)
  return rows[0]!
}

/** Deleted rooms whose messages are still there are passed over: so many. */
const roomsAtOnce = 50

export type WrittenRoom = {
  id: string
  name: string | null
  house_id: string | null
  house_name: string | null
}

/** The first room after another in which a user has written what is exported, by id; undefined after the last. */
export async function findNextWrittenRoom(
  db: Db,
  userId: string,
  after: string,
): Promise<WrittenRoom | undefined> {
  if (isDistributed(db)) return findNextWrittenRoomOfShards(db, userId, after)
  const { rows } = await sql<WrittenRoom>`
    select rooms.id, rooms.name, rooms.house_id, houses.name as house_name
    from rooms left join houses on houses.id = rooms.house_id
    where rooms.id = (
      select room_id from messages
      where author_id = ${userId} and room_id > ${after} and ${isExported}
        and exists (select from rooms where rooms.id = room_id)
      order by room_id limit 1
    )`.execute(db)
  return rows[0]
}

/** The same where messages are distributed: rooms are looked up apart, as many at once. */
async function findNextWrittenRoomOfShards(
  db: Db,
  userId: string,
  after: string,
): Promise<WrittenRoom | undefined> {
  const written = await sql<{ room_id: string }>`
    select distinct room_id from messages
    where author_id = ${userId} and room_id > ${after} and ${isExported}
    order by room_id limit ${roomsAtOnce}`.execute(db)
  const ids = written.rows.map((row) => row.room_id)
  const { rows } = await sql<WrittenRoom>`
    select rooms.id, rooms.name, rooms.house_id, houses.name as house_name
    from rooms left join houses on houses.id = rooms.house_id
    where rooms.id = any(${ids}::bigint[]) order by rooms.id limit 1`.execute(db)
  if (rows[0] || ids.length < roomsAtOnce) return rows[0]
  return findNextWrittenRoomOfShards(db, userId, ids.at(-1)!)
}

export type OwnMessageRow = {
  id: string
  content: string
  mentions: string[]
  edited_at: Date | null
  attachment: StoredAttachment | null
}

/** A page of the exported messages of a user in a room, oldest first. */
export async function listOwnMessages(
  db: Db,
  { user_id, room_id }: { user_id: string; room_id: string },
  { after, limit, onlyFiles }: { after: string; limit: number; onlyFiles: boolean },
): Promise<OwnMessageRow[]> {
  const { rows } = await sql<OwnMessageRow>`
    select id, content, mentions, edited_at, attachment from messages
    where author_id = ${user_id} and room_id = ${room_id} and id > ${after} and ${isExported}
      and (attachment is not null or not ${onlyFiles})
    order by id limit ${limit}`.execute(db)
  return rows
}
