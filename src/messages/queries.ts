import { type RawBuilder, sql } from 'kysely'
import { coalesce, groupByPlace } from '../database/batching/coalesce.ts'
import { type Db, isDistributed } from '../database/client.ts'
import { type RoleRow, rolesOfMember } from '../houses/roles/queries.ts'
import { type GatewayUserRow, gatewayUserSelection } from '../users/queries.ts'

/** The JSON of `messages.attachment`. `attachmentFile` (attachments/queries.ts) gives the name in the store. */
export type StoredAttachment = {
  /** 32 random hex characters that authorize fetching the file. */
  key: string
  filename: string
  content_type: string
  /** In bytes. */
  size: number
  /** Only of images. */
  dimensions: { width: number; height: number; type: string } | null
}

/** `attachmentFile` in SQL, for a row with `room_id` and `attachment`. */
export const attachmentFileOfRow = sql`'attachments/' || room_id || '/' || (attachment ->> 'key')`

export type MessageRow = {
  room_id: string
  id: string
  author_id: string
  device_id: string
  content: string
  /** Ids of the mentioned users, in order of first appearance. */
  mentions: string[]
  edited_at: Date | null
  exploding_age: number | null
  attachment: StoredAttachment | null
}

/** The columns of a `MessageRow`. */
export const messageColumns = sql`
  messages.room_id, messages.id, messages.author_id, messages.device_id, messages.content, messages.mentions,
  messages.edited_at, messages.exploding_age, messages.attachment`

/** Whether a message has not exploded. Every query checks this, because the sweep deletes messages with a delay. */
export const notExpired = sql`(messages.expires_at is null or messages.expires_at > now())`

/**
 * A condition for rows of these rooms: by constants, as Citus needs it to find the shards of rooms that a statement joins.
 * Empty where the message store is not distributed.
 */
export function onShardsOf(db: Db, table: RawBuilder<unknown>, roomIds: readonly string[]) {
  return isDistributed(db) ? sql`and ${table}.room_id = any(${roomIds}::bigint[])` : sql``
}

/** A user as author in a room, with the fields of their membership that messages show. */
export type AuthorRow = GatewayUserRow & {
  is_deleted: boolean
  /** When they joined the house or the private room; null if they are in neither. */
  joined_at: Date | null
  last_permission_update: Date | null
  /** Highest first. */
  roles: RoleRow[]
}

/** A user as author in a room, deleted accounts included; undefined if there is no such user. */
export const findAuthor = coalesce<{ room_id: string; user_id: string }, AuthorRow | undefined>(
  async (db: Db, keys) => {
    const { rows } = await sql<AuthorRow & { place: string }>`
      select place, ${gatewayUserSelection}, deleted_at is not null as is_deleted,
        coalesce(members.joined_at, room_recipients.joined_at) as joined_at, members.last_permission_update,
        case when members.user_id is null then '[]'
          else ${rolesOfMember(sql`members.house_id`, sql`members.user_id`)} end as roles
      from unnest(${keys.map((key) => key.room_id)}::bigint[], ${keys.map((key) => key.user_id)}::bigint[])
        with ordinality as wanted (room_id, user_id, place)
      join users on users.id = wanted.user_id
      left join rooms on rooms.id = wanted.room_id
      left join members on members.house_id = rooms.house_id and members.user_id = users.id
      left join room_recipients on room_recipients.room_id = rooms.id and room_recipients.user_id = users.id
    `.execute(db)
    return groupByPlace(keys.length, rows)
  },
)

/** A message with the author of the one that it replies to, if they count as mentioned. */
type FoundMessageRow = MessageRow & { reply_mention: string | null }

/** A message that has not exploded, or undefined. */
export const findMessage = coalesce<{ room_id: string; id: string }, FoundMessageRow | undefined>(
  async (db: Db, keys) => {
    const roomIds = keys.map((key) => key.room_id)
    const { rows } = await sql<FoundMessageRow & { place: string }>`
      select place, ${messageColumns}, messages.reply_mention
      from unnest(${roomIds}::bigint[], ${keys.map((key) => key.id)}::bigint[])
        with ordinality as wanted (room_id, id, place)
      join messages on messages.room_id = wanted.room_id and messages.id = wanted.id
      where ${notExpired} ${onShardsOf(db, sql`messages`, roomIds)}`.execute(db)
    return groupByPlace(keys.length, rows)
  },
)

/**
 * Locks a message that has not exploded until the transaction ends, and before it its room against deletion: what is
 * then written to the message goes with it. Undefined if there is none.
 */
export async function lockMessage(db: Db, roomId: string, id: string): Promise<MessageRow | undefined> {
  const room = db.selectFrom('rooms').select('id').where('id', '=', roomId).forKeyShare()
  if (!(await room.executeTakeFirst())) return undefined
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages where room_id = ${roomId} and id = ${id} and ${notExpired}
    for update`.execute(db)
  return rows[0]
}

type EditedRow = MessageRow & { expires_at: Date | null }

/**
 * Replaces content and mentions of a locked message. `edited_at` never decreases, even if the clock steps back: clients
 * keep the content with the latest one.
 */
export async function updateMessage(
  db: Db,
  message: { room_id: string; id: string; content: string; mentions: readonly string[] },
): Promise<EditedRow> {
  const { room_id, id, content, mentions } = message
  const { rows } = await sql<EditedRow>`
    update messages set content = ${content}, mentions = ${mentions}::bigint[],
      edited_at = greatest(edited_at, statement_timestamp())
    where room_id = ${room_id} and id = ${id} returning ${messageColumns}, messages.expires_at`.execute(db)
  return rows[0]!
}

/** A message that mentions a user, or has mentioned them. */
export type MentionKey = { user_id: string; room_id: string; message_id: string }

/** Makes the users whom an edited message mentions those of its row. Returns the mentions that came or went. */
export async function replaceMentions(db: Db, message: EditedRow): Promise<MentionKey[]> {
  const { room_id, id, author_id, mentions, expires_at } = message
  const { rows } = await sql<MentionKey>`
    with gone as (
      delete from mentions
      where room_id = ${room_id} and message_id = ${id} and user_id <> all(${mentions}::bigint[])
      returning user_id, room_id, message_id
    ), added as (
      insert into mentions (user_id, message_id, room_id, author_id, expires_at)
      select user_id, ${id}, ${room_id}, ${author_id}, ${expires_at}::timestamptz
      from unnest(${mentions}::bigint[]) as mentioned (user_id)
      on conflict do nothing
      returning user_id, room_id, message_id
    )
    select user_id, room_id, message_id from gone union all select user_id, room_id, message_id from added`.execute(
    db,
  )
  return rows
}

/** What went with deleted messages: the names of the files of their attachments, and their mentions. */
export type DeletedWithMessages = { files: string[]; mentions: MentionKey[] }

/** Deletes locked messages with their mentions, reactions and pins. The caller discards the files. */
export async function deleteMessages(
  db: Db,
  messages: readonly { room_id: string; id: string }[],
): Promise<DeletedWithMessages> {
  const roomIds = messages.map((message) => message.room_id)
  const ids = messages.map((message) => message.id)
  const on = (table: RawBuilder<unknown>) => onShardsOf(db, table, roomIds)
  const { rows } = await sql<{ name: string; user_id: null } | (MentionKey & { name: null })>`
    with gone as (
      delete from messages using unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
      where messages.room_id = wanted.room_id and messages.id = wanted.id ${on(sql`messages`)}
      returning messages.room_id, attachment
    ), unmentioned as (
      delete from mentions using unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
      where mentions.room_id = wanted.room_id and message_id = wanted.id
      returning mentions.user_id, mentions.room_id, mentions.message_id
    ), unreacted as (
      delete from reactions using unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
      where reactions.room_id = wanted.room_id and message_id = wanted.id ${on(sql`reactions`)}
    ), uncounted as (
      delete from reaction_counts using unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
      where reaction_counts.room_id = wanted.room_id and message_id = wanted.id ${on(sql`reaction_counts`)}
    ), unpinned as (
      delete from pins using unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
      where pins.room_id = wanted.room_id and message_id = wanted.id ${on(sql`pins`)}
    )
    select ${attachmentFileOfRow} as name, null::bigint as user_id, null::bigint as room_id, null::bigint as message_id
    from gone where attachment is not null
    union all select null, user_id, room_id, message_id from unmentioned`.execute(db)
  return {
    files: rows.flatMap(({ name }) => name ?? []),
    mentions: rows.flatMap((row) => (row.user_id === null ? [] : row)),
  }
}
