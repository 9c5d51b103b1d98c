import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'
import type { CompactUserRow, GatewayUserRow } from '../users/queries.ts'

/** What `messages.attachment` holds; the store has the file under `attachmentFile` (attachment-queries.ts). */
export type StoredAttachment = {
  /** 32 random hex characters: who knows them may fetch the file. */
  key: string
  filename: string
  content_type: string
  /** In bytes. */
  size: number
  /** Only of images. */
  dimensions: { width: number; height: number; type: string } | null
}

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

/** Whether a message has not exploded: every query of messages says so, whatever the sweep has done. */
export const isThere = sql`(messages.expires_at is null or messages.expires_at > now())`

/** A page that was asked for; at most one of the three ids is there. */
export type Page = { limit: number; before?: string; after?: string; around?: string }

/**
 * The statement's text for one page: `select` (which ends in a where clause) cut to those whose `id` lies in the page.
 * Rows come in no order to rely on.
 */
export function selectPage(select: RawBuilder<unknown>, id: RawBuilder<unknown>, page: Page) {
  const newest = (condition: RawBuilder<unknown>, limit: number) =>
    sql`(${select} and ${condition} order by ${id} desc limit ${limit})`
  const oldest = (after: string, limit: number) =>
    sql`(${select} and ${id} > ${after} order by ${id} limit ${limit})`
  if (page.before !== undefined) return newest(sql`${id} < ${page.before}`, page.limit)
  if (page.after !== undefined) return oldest(page.after, page.limit)
  if (page.around === undefined) return newest(sql`true`, page.limit)
  const older = newest(sql`${id} <= ${page.around}`, Math.ceil(page.limit / 2))
  return sql`${older} union all ${oldest(page.around, Math.floor(page.limit / 2))}`
}

/** Newest first. */
export function newestFirst(one: { id: string }, other: { id: string }): number {
  return BigInt(one.id) < BigInt(other.id) ? 1 : -1
}

/** A message with its author and the mentioned users, as lists show it. */
export type ListedMessageRow = MessageRow & {
  author_icon: string | null
  author_username: string
  author_name: string
  author_header: string | null
  author_flags: number
  author_bot: boolean
  /** Null when nobody is. */
  mentioned: CompactUserRow[] | null
}

/** The statement's text for messages in their list form; `from` names their table or page `messages`. */
export function selectListed(from: RawBuilder<unknown>) {
  return sql<ListedMessageRow>`
    select ${messageColumns}, users.icon as author_icon, users.username as author_username,
      users.name as author_name, users.header as author_header, users.flags as author_flags,
      users.bot as author_bot,
      case when messages.mentions <> '{}' then (
        select json_agg(json_build_object('icon', icon, 'id', id::text, 'username', username, 'name', name,
          'header', header, 'flags', flags, 'bot', bot) order by place)
        from unnest(messages.mentions) with ordinality as wanted (user_id, place)
        join users on users.id = wanted.user_id) end as mentioned
    from ${from} join users on users.id = messages.author_id`
}

/** The messages with these ids in these rooms that are there, newest first. */
export async function listMessages(
  db: Db,
  roomIds: readonly string[],
  ids: readonly string[],
): Promise<ListedMessageRow[]> {
  if (ids.length === 0) return []
  const { rows } = await selectListed(
    sql`(select * from messages where room_id = any(${roomIds}::bigint[]) and id = any(${ids}::bigint[])
      and ${isThere}) as messages`,
  ).execute(db)
  return rows.sort(newestFirst)
}

/** Somebody as an author in a room: the user, and what their membership there shows. */
export type SpeakerRow = GatewayUserRow & {
  is_deleted: boolean
  /** When they entered the house or the private room; null when they are not there (any more). */
  joined_at: Date | null
  last_permission_update: Date | null
  /** Highest first. */
  role_ids: string[]
}

/** A user with what they are in a room, or undefined when there is no such user. */
export const findSpeaker = coalesce<{ room_id: string; user_id: string }, SpeakerRow | undefined>(
  async (db: Db, keys) => {
    const { rows } = await sql<SpeakerRow & { place: string }>`
      select place, users.icon, users.id, username, users.name, header, flags, bot, bio, website, location,
        deleted_at is not null as is_deleted,
        coalesce(members.joined_at, room_recipients.joined_at) as joined_at, members.last_permission_update,
        case when members.user_id is null then '{}' else array(
          select roles.id::text from member_roles join roles on roles.id = role_id
          where member_roles.house_id = members.house_id and member_roles.user_id = members.user_id
          order by roles.position desc, roles.id) end as role_ids
      from unnest(${keys.map((key) => key.room_id)}::bigint[], ${keys.map((key) => key.user_id)}::bigint[])
        with ordinality as wanted (room_id, user_id, place)
      join users on users.id = wanted.user_id
      left join rooms on rooms.id = wanted.room_id
      left join members on members.house_id = rooms.house_id and members.user_id = users.id
      left join room_recipients on room_recipients.room_id = rooms.id and room_recipients.user_id = users.id
    `.execute(db)
    const byPlace = new Map(rows.map(({ place, ...row }) => [place, row]))
    return keys.map((_key, index) => byPlace.get(String(index + 1)))
  },
)
