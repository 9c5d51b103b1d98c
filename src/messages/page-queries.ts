import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { isGreaterId } from '../ids.ts'
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
    sql`(${select} and ${condition} order by ${id} desc limit ${sql.lit(limit)})`
  const oldest = (after: string, limit: number) =>
    sql`(${select} and ${id} > ${after} order by ${id} limit ${sql.lit(limit)})`
  if (page.before !== undefined) return newest(sql`${id} < ${page.before}`, page.limit)
  if (page.after !== undefined) return oldest(page.after, page.limit)
  if (page.around === undefined) return newest(sql`true`, page.limit)
  const older = newest(sql`${id} <= ${page.around}`, Math.ceil(page.limit / 2))
  return sql`${older} union all ${oldest(page.around, Math.floor(page.limit / 2))}`
}

/** Newest first. */
export function newestFirst(one: { id: string }, other: { id: string }): number {
  return isGreaterId(other.id, one.id) ? 1 : -1
}

/** A message with its author and the mentioned users, as lists show it. */
export type ListedMessageRow = MessageRow & { author: CompactUserRow; mentioned: CompactUserRow[] }

type People = Record<string, CompactUserRow>

/**
 * The messages that `page` selects, newest first. Everybody on the page is read once, whatever they wrote and however
 * often they are mentioned, and comes with one of the rows.
 */
export async function listSelected(db: Db, page: RawBuilder<unknown>): Promise<ListedMessageRow[]> {
  const { rows } = await sql<MessageRow & { people: People | null }>`
    with messages as materialized (${page})
    select ${messageColumns}, case when row_number() over () = 1 then (
      select json_object_agg(id::text, json_build_object('icon', icon, 'id', id::text, 'username', username,
        'name', name, 'header', header, 'flags', flags, 'bot', bot))
      from users where id = any(array(select author_id from messages union select unnest(mentions) from messages))
    ) end as people
    from messages`.execute(db)
  const people = rows.find((row) => row.people !== null)?.people ?? {}
  return rows.sort(newestFirst).map((row) => ({
    ...row,
    author: people[row.author_id]!,
    mentioned: row.mentions.map((id) => people[id]!),
  }))
}

/** The messages at these places (room and id, pairwise) that are there, newest first. */
export async function listMessages(
  db: Db,
  roomIds: readonly string[],
  ids: readonly string[],
): Promise<ListedMessageRow[]> {
  if (ids.length === 0) return []
  // Pairs: `room_id = any(…) and id = any(…)` would probe the index once for every room and every id.
  return listSelected(
    db,
    sql`select messages.* from unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
      join messages on messages.room_id = wanted.room_id and messages.id = wanted.id where ${isThere}`,
  )
}

/** A page of a room's messages, newest first. */
export async function listRoomMessages(db: Db, roomId: string, page: Page): Promise<ListedMessageRow[]> {
  const select = sql`select * from messages where room_id = ${roomId} and ${isThere}`
  return listSelected(db, selectPage(select, sql.ref('id'), page))
}
