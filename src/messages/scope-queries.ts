import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { firstIdAt, idTimeMs, isGreaterId, nextId, nobodysId, smallerId } from '../ids.ts'
import { type RoomAccessRow, selectRoomAccess } from '../rooms/queries.ts'
import { type ListedMessageRow, listSelected, newestFirst, type Page } from './page-queries.ts'
import { isThere } from './queries.ts'

/** The access of a user to every room of their houses. */
export async function listHouseRoomAccess(db: Db, userId: string): Promise<RoomAccessRow[]> {
  const wanted = sql`(select rooms.id as room_id, members.user_id
    from members join rooms on rooms.house_id = members.house_id where members.user_id = ${userId}) as wanted`
  return (await selectRoomAccess(wanted).execute(db)).rows
}

/** The access of a user to every room of one house. */
export async function listRoomAccess(db: Db, userId: string, houseId: string): Promise<RoomAccessRow[]> {
  const wanted = sql`(select id as room_id, ${userId}::bigint as user_id
    from rooms where house_id = ${houseId}) as wanted`
  return (await selectRoomAccess(wanted).execute(db)).rows
}

/** What to search for, and in which rooms; only messages by `author_id`, and before `before`, if these are given. */
export type Search = {
  q: string
  room_ids: readonly string[]
  author_id?: string
  before?: string
  limit: number
}

/** A phrase, or a word between white space, with the dashes right before it. */
const searchTerm = /(-*)(?:"([^"]*)"?|([^\s"]+))/gu

/**
 * A search as PostgreSQL reads it. Each word is quoted, so that only a minus before it has a meaning, and not "or", a
 * single dash, or the colon of an address. Several dashes are reduced to one, as PostgreSQL refuses more than 32.
 */
function asWebSearch(q: string): string {
  const terms = [...q.matchAll(searchTerm)]
  return terms.map(([, dashes, phrase, piece]) => `${dashes ? '-' : ''}"${phrase ?? piece}"`).join(' ')
}

/** The messages whose words match, newest first: all words, `"a phrase"`, `-without`. */
export async function searchMessages(db: Db, search: Search): Promise<ListedMessageRow[]> {
  const { q, room_ids, author_id, before, limit } = search
  return listSelected(
    db,
    sql`select * from messages where room_id = any(${room_ids}::bigint[])
      and to_tsvector('simple', content) @@ websearch_to_tsquery('simple', ${asWebSearch(q)}) and ${isThere}
      ${author_id === undefined ? sql`` : sql`and author_id = ${author_id}`}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${sql.lit(limit)}`,
  )
}

const firstSpanMs = 3_600_000
const spanGrowth = 8

/**
 * A page of the messages of many rooms by people whom the user has not blocked or restricted, newest first. Messages
 * are read in spans of time that grow until the page is full, so that it is not necessary to sort all messages, or to
 * query each room. No message has an id above `newest`, and hardly any (since the clock was set back) below `oldest`.
 */
export async function listFeed(
  db: Db,
  scope: { user_id: string; room_ids: readonly string[]; oldest: string; newest: string },
  page: Page,
): Promise<ListedMessageRow[]> {
  const { limit, before, after, around } = page
  if (around !== undefined) {
    const older = await listFeed(db, scope, { before: nextId(around), limit: Math.ceil(limit / 2) })
    return [...(await listFeed(db, scope, { after: around, limit: Math.floor(limit / 2) })), ...older]
  }
  const found: ListedMessageRow[] = []
  const end = nextId(scope.newest)
  const oldestMs = idTimeMs(scope.oldest)
  const isForward = after !== undefined
  let edge = isForward ? nextId(after) : smallerId(before ?? end, end)
  for (let spanMs = firstSpanMs; found.length < limit; spanMs *= spanGrowth) {
    const isOver = isForward ? !isGreaterId(end, edge) : edge === nobodysId
    if (isOver) break
    const edgeMs = idTimeMs(edge)
    const newer = smallerId(firstIdAt(Math.max(edgeMs, oldestMs) + spanMs), end)
    const older = edgeMs - spanMs > oldestMs ? firstIdAt(edgeMs - spanMs) : nobodysId
    const span = isForward ? { from: edge, to: newer } : { from: older, to: edge }
    found.push(...(await listSpan(db, scope, { ...span, isForward, limit: limit - found.length })))
    edge = isForward ? newer : older
  }
  return found.sort(newestFirst)
}

/** The newest (forward: the oldest) messages with an id from `from` and below `to`. */
async function listSpan(
  db: Db,
  scope: { user_id: string; room_ids: readonly string[] },
  span: { from: string; to: string; isForward: boolean; limit: number },
): Promise<ListedMessageRow[]> {
  const order = span.isForward ? sql`id` : sql`id desc`
  return listSelected(
    db,
    sql`select * from messages where room_id = any(${scope.room_ids}::bigint[])
      and id >= ${span.from} and id < ${span.to} and ${isThere}
      and not exists (select from blocks where blocks.user_id = ${scope.user_id} and target_id = author_id)
    order by ${order} limit ${sql.lit(span.limit)}`,
  )
}
