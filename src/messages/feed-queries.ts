import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { firstIdAt, idTimeMs, isGreaterId, nextId, nobodysId, smallerId } from '../ids.ts'
import { type RoomAccessRow, selectRoomAccess } from '../rooms/queries.ts'
import { type ListedMessageRow, listSelected, newestFirst, type Page } from './page-queries.ts'
import { isThere } from './queries.ts'

/** The access of a user to every room of their houses. */
export async function listRoomAccessOf(db: Db, userId: string): Promise<RoomAccessRow[]> {
  const wanted = sql`(select rooms.id as room_id, members.user_id
    from members join rooms on rooms.house_id = members.house_id where members.user_id = ${userId}) as wanted`
  return (await selectRoomAccess(wanted).execute(db)).rows
}

const firstSpanMs = 3_600_000
const spanGrowth = 8

/**
 * A page of the messages of many rooms by people whom the user has not blocked or restricted, newest first. Messages
 * are read in spans of time that grow until the page is full, so that it is seldom necessary to query each room, and
 * never to sort all messages. No message has an id above `newest`, and hardly any (since the clock was set back) below
 * `oldest`.
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
    const list = spanMs === firstSpanMs ? listFirstSpan : listLongSpan
    found.push(...(await list(db, scope, { ...span, isForward, limit: limit - found.length })))
    edge = isForward ? newer : older
  }
  return found.sort(newestFirst)
}

type Scope = { user_id: string; room_ids: readonly string[] }
type Span = { from: string; to: string; isForward: boolean; limit: number }

/** The newest (forward: the oldest) messages with an id from `from` and below `to`: all of the span are sorted. */
function listFirstSpan(db: Db, scope: Scope, span: Span): Promise<ListedMessageRow[]> {
  const ofRooms = sql`room_id = any(${scope.room_ids}::bigint[])`
  return listSelected(db, selectSpan(ofRooms, scope, span))
}

/**
 * The same, with no more than a page sorted of each room: behind a quiet time, a long span may hold nearly all messages.
 */
function listLongSpan(db: Db, scope: Scope, span: Span): Promise<ListedMessageRow[]> {
  const ofRoom = selectSpan(sql`room_id = wanted.id`, scope, span)
  return listSelected(
    db,
    sql`select messages.* from unnest(${scope.room_ids}::bigint[]) as wanted (id)
    cross join lateral (${ofRoom}) as messages ${endOf(span)}`,
  )
}

function selectSpan(ofRooms: RawBuilder<unknown>, { user_id }: Scope, span: Span) {
  return sql`select * from messages where ${ofRooms} and id >= ${span.from} and id < ${span.to} and ${isThere}
      and author_id not in (select target_id from blocks where blocks.user_id = ${user_id}) ${endOf(span)}`
}

function endOf({ isForward, limit }: Span) {
  return sql`order by messages.id ${isForward ? sql`` : sql`desc`} limit ${sql.lit(limit)}`
}
