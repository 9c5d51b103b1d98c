import { type RawBuilder, sql } from 'kysely'
import { prepareRead, prepareTupleRead, type Read } from '../../database/batching/reads.ts'
import type { Db } from '../../database/client.ts'
import { isGreaterId } from '../../ids.ts'
import { type CompactUserRow, findCompactUsers } from '../../users/queries.ts'
import { type MessageRow, notExpired } from '../queries.ts'

/** A requested page (docs/api.md#paging); at most one of the three ids is set. */
export type Page = { limit: number; before?: string; after?: string; around?: string }

const pageKinds = ['before', 'after', 'around'] as const

/** A number, or an SQL expression for one. */
type Count = number | RawBuilder<unknown>

/** The longest page. */
const maxPageLength = 100

/**
 * The first rows of an ordered query. The literal limit is for the planner, which assumes a tenth of the table for a
 * parameter; with a literal `limit` every value would need its own prepared statement.
 */
export function limitRows<Row>(ordered: RawBuilder<unknown>, limit: Count) {
  return sql<Row>`(select * from (${ordered} limit ${sql.lit(maxPageLength)}) as page limit ${limit})`
}

/**
 * The statement for a page: `select` (which ends in a where clause), limited to the rows whose `id` is in the page, in no
 * order.
 */
export function selectPage<Row = unknown>(
  select: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  page: Page,
): RawBuilder<Row> {
  const newest = (condition: RawBuilder<unknown>, limit: Count) =>
    limitRows<Row>(sql`${select} and ${condition} order by ${id} desc`, limit)
  const oldest = (after: string, limit: Count) =>
    limitRows<Row>(sql`${select} and ${id} > ${after} order by ${id}`, limit)
  if (page.before !== undefined) return newest(sql`${id} < ${page.before}`, page.limit)
  if (page.after !== undefined) return oldest(page.after, page.limit)
  if (page.around === undefined) return newest(sql`true`, page.limit)
  const older = newest(sql`${id} <= ${page.around}`, sql`(${page.limit}::integer + 1) / 2`)
  return sql<Row>`${older} union all ${oldest(page.around, sql`${page.limit}::integer / 2`)}`
}

/** Compares for a list with the newest first. */
export function newestFirst(one: { id: string }, other: { id: string }): number {
  return isGreaterId(other.id, one.id) ? 1 : -1
}

/** A read of pages, with a prepared statement for each of `before`, `after`, `around` and none. */
export function preparePages<Values extends Page, Row>(
  build: (values: Values) => RawBuilder<Row>,
  prepare: typeof prepareRead<Values, Row> = prepareRead,
) {
  type Kind = (typeof pageKinds)[number] | undefined
  const reads = new Map<Kind, Read<Values, Row>>()
  return (db: Db, values: Values): Promise<Row[]> => {
    const kind = pageKinds.find((each) => values[each] !== undefined)
    let read = reads.get(kind)
    if (!read) {
      const absent = pageKinds.filter((each) => each !== kind).map((each) => [each, undefined])
      read = prepare(build, Object.fromEntries(absent) as Partial<Values>)
      reads.set(kind, read)
    }
    return read(db, values)
  }
}

/** A message with its author and the mentioned users, for the list form. */
export type ListedMessageRow = MessageRow & { author: CompactUserRow; mentioned: CompactUserRow[] }

/** A message; empty `mentions` are null. The room is left out where all rows are of one: each value costs. */
type PageRow = [
  id: string,
  author_id: string,
  device_id: string,
  content: string,
  mentions: string | null,
  edited_at: MessageRow['edited_at'],
  exploding_age: MessageRow['exploding_age'],
  attachment: MessageRow['attachment'],
  room_id?: string,
]

/** The columns of a `PageRow`. The users are read apart: a statement on messages joins nothing else. */
const pageColumns = sql`
  messages.id, messages.author_id, messages.device_id, messages.content,
  array_to_string(nullif(messages.mentions, '{}'), ',') as mentions,
  messages.edited_at, messages.exploding_age, messages.attachment`

const noIds: string[] = []

/**
 * These messages with their authors and mentioned users, newest first; `room_id`: the room of all of them. Columns are
 * read by index: destructuring takes twice as long.
 */
async function withPeople(db: Db, rows: PageRow[], room_id?: string): Promise<ListedMessageRow[]> {
  if (rows.length === 0) return []
  const mentions = rows.map((row) => (row[4] === null ? noIds : row[4].split(',')))
  const ids = new Set<string>()
  for (const row of rows) ids.add(row[1])
  for (const each of mentions) for (const id of each) ids.add(id)
  const people = await findCompactUsers(db, [...ids])
  const listed = rows.map((row, n): ListedMessageRow => {
    const mentioned = mentions[n]!
    return {
      id: row[0],
      room_id: room_id ?? row[8]!,
      author_id: row[1],
      device_id: row[2],
      content: row[3],
      mentions: mentioned,
      edited_at: row[5],
      exploding_age: row[6],
      attachment: row[7],
      author: people.get(row[1])!,
      mentioned: mentioned.map((id) => people.get(id)!),
    }
  })
  return listed.sort(newestFirst)
}

const readMessagesOfRoom = prepareTupleRead(
  ({ room_id, ids }: { room_id: string; ids: readonly string[] }) => sql<PageRow>`
    select ${pageColumns} from messages where room_id = ${room_id} and id = any(${ids}::bigint[]) and ${notExpired}`,
)

// Joined as pairs: `room_id = any(…) and id = any(…)` probes the index for every combination of room and id.
const readMessages = prepareTupleRead(
  ({ roomIds, ids }: { roomIds: readonly string[]; ids: readonly string[] }) => sql<PageRow>`
    select ${pageColumns}, messages.room_id from unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
    join messages on messages.room_id = wanted.room_id and messages.id = wanted.id where ${notExpired}`,
)

/** The messages with these room ids and ids (pairwise) that have not exploded, newest first. */
export async function listMessages(
  db: Db,
  roomIds: readonly string[],
  ids: readonly string[],
): Promise<ListedMessageRow[]> {
  const [room_id] = roomIds
  if (room_id === undefined) return []
  // For one room PostgreSQL reads neighbouring messages together, at half the cost of a probe for each.
  const isOneRoom = roomIds.every((each) => each === room_id)
  if (isOneRoom) return withPeople(db, await readMessagesOfRoom(db, { room_id, ids }), room_id)
  return withPeople(db, await readMessages(db, { roomIds, ids }))
}

const readRoomPage = preparePages((page: Page & { room_id: string }) => {
  const messages = sql`select ${pageColumns} from messages where room_id = ${page.room_id} and ${notExpired}`
  return selectPage<PageRow>(messages, sql.ref('id'), page)
}, prepareTupleRead)

/** A page of a room's messages, newest first. */
export async function listRoomMessages(db: Db, room_id: string, page: Page): Promise<ListedMessageRow[]> {
  return withPeople(db, await readRoomPage(db, { room_id, ...page }), room_id)
}
