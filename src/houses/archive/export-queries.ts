import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import type { StoredAttachment } from '../../messages/queries.ts'

type Page = { after: string; limit: number }

/** A house as it is exported, or undefined. */
export function findExportedHouse(db: Db, id: string) {
  return db
    .selectFrom('houses')
    .leftJoin('house_retention', 'house_id', 'id')
    .select(['id', 'name', 'description', 'icon', 'owner_id', 'default_permissions', 'max_age'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Notes everybody who is named in what is exported of a house (members, authors, mentioned, answered, reacting, banned),
 * for the rest of the transaction.
 */
export async function createExportedUsers(trx: Db, houseId: string): Promise<void> {
  await sql`create temporary table exported_users (id bigint primary key) on commit drop`.execute(trx)
  // A deleted room has messages for a while.
  const rooms = sql`(select id from rooms where house_id = ${houseId})`
  const exported = sql`messages where room_id in ${rooms} and expires_at is null`
  await sql`
    insert into exported_users
    select id from (
      select user_id from members where house_id = ${houseId}
      union select user_id from bans where house_id = ${houseId}
      union select created_by from bans where house_id = ${houseId}
      union select author_id from ${exported}
      union select unnest(mentions) from ${exported}
      union select reply_mention from ${exported}
      union select user_id from reactions where room_id in ${rooms}
    ) as named (id) where id is not null`.execute(trx)
}

/** The noted users, a page by id: with the e-mail address only of those who have proven it. */
export async function listExportedUsers(trx: Db, { after, limit }: Page): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select id, username, name, bot, owner_id, bio, location, website, case when email_verified then email end as email,
      deleted_at is not null as is_deleted
    from exported_users join users using (id)
    where id > ${after} order by id limit ${limit}`.execute(trx)
  return rows
}

/** The members of a house with their roles, a page by id. */
export async function listExportedMembers(
  db: Db,
  houseId: string,
  { after, limit }: Page,
): Promise<{ user_id: string }[]> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id, joined_at, array(
        select role_id::text from member_roles
        where member_roles.house_id = members.house_id and member_roles.user_id = members.user_id order by role_id
      ) as roles
    from members where house_id = ${houseId} and user_id > ${after} order by user_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** The bans of a house, a page by user. */
export function listExportedBans(db: Db, houseId: string, { after, limit }: Page) {
  return db
    .selectFrom('bans')
    .select(['user_id', 'reason', 'created_by', 'created_at'])
    .where('house_id', '=', houseId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute()
}

/** The roles of a house, by id. */
export function listExportedRoles(db: Db, houseId: string) {
  return db
    .selectFrom('roles')
    .select(['id', 'name', 'position', 'color', 'allow', 'deny'])
    .where('house_id', '=', houseId)
    .orderBy('id')
    .execute()
}

/** The entities of a house with their rooms in order, by id. */
export async function listExportedEntities(db: Db, houseId: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select id, name, position, array(
        select room_id::text from entity_rooms where entity_id = entities.id order by position, room_id
      ) as rooms
    from entities where house_id = ${houseId} order by id`.execute(db)
  return rows
}

/** The rooms of a house, by id. */
export function listExportedRooms(db: Db, houseId: string) {
  return db
    .selectFrom('rooms')
    .select(['id', 'name', 'description', 'emoji', 'position', 'default_allow', 'default_deny'])
    .select(['permission_overrides'])
    .where('house_id', '=', houseId)
    .orderBy('id')
    .execute()
}

/** `attachment` as it is stored. */
export type ExportedMessage = { id: string; attachment: StoredAttachment | null }

/** The messages of a room but those that explode, a page by id. */
export async function listExportedMessages(
  db: Db,
  roomId: string,
  { after, limit }: Page,
): Promise<ExportedMessage[]> {
  const { rows } = await sql<ExportedMessage>`
    select id, author_id, device_id, content, mentions, edited_at, attachment, reply_to, reply_mention, pinned_at
    from messages left join pins on pins.room_id = messages.room_id and message_id = id
    where messages.room_id = ${roomId} and id > ${after} and expires_at is null
    order by id limit ${limit}`.execute(db)
  return rows
}

/** `place` rises in the order in which the emoji of a message were first used. */
export type ExportedReaction = { message_id: string; emoji: string; user_id: string; place: number }

/** The reactions to the exported messages of a room, a page behind another reaction. */
export async function listExportedReactions(
  db: Db,
  roomId: string,
  after: ExportedReaction | undefined,
  limit: number,
): Promise<ExportedReaction[]> {
  const { message_id, emoji, user_id } = after ?? { message_id: '0', emoji: '', user_id: '0' }
  const { rows } = await sql<ExportedReaction>`
    select message_id, emoji, user_id, place
    from reactions join reaction_counts using (room_id, message_id, emoji)
    join messages on messages.room_id = reactions.room_id and messages.id = message_id
    where reactions.room_id = ${roomId} and (message_id, emoji, user_id) > (${message_id}, ${emoji}, ${user_id})
      and expires_at is null
    order by message_id, emoji, user_id limit ${limit}`.execute(db)
  return rows
}
