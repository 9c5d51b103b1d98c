import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/client.ts'
import type { CompactUserRow } from '../users/queries.ts'
import { isThere, type MessageRow, messageColumns } from './queries.ts'

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

/** A page of a room's messages, newest first. */
export async function listRoomMessages(db: Db, roomId: string, page: Page): Promise<ListedMessageRow[]> {
  const select = sql`select * from messages where room_id = ${roomId} and ${isThere}`
  const { rows } = await selectListed(sql`(${selectPage(select, sql.ref('id'), page)}) as messages`).execute(
    db,
  )
  return rows.sort(newestFirst)
}
