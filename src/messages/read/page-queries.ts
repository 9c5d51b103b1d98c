import { type RawBuilder, sql } from 'kysely'
import { prepareRead, prepareTupleRead, type Read } from '../../database/batching/reads.ts'
import type { Db } from '../../database/client.ts'
import { isGreaterId } from '../../ids.ts'
import type { CompactUserRow } from '../../users/queries.ts'
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
export function limitRows(ordered: RawBuilder<unknown>, limit: Count) {
  return sql`(select * from (${ordered} limit ${sql.lit(maxPageLength)}) as page limit ${limit})`
}

/**
 * The statement for a page: `select` (which ends in a where clause), limited to the rows whose `id` is in the page, in no
 * order.
 */
export function selectPage(select: RawBuilder<unknown>, id: RawBuilder<unknown>, page: Page) {
  const newest = (condition: RawBuilder<unknown>, limit: Count) =>
    limitRows(sql`${select} and ${condition} order by ${id} desc`, limit)
  const oldest = (after: string, limit: Count) =>
    limitRows(sql`${select} and ${id} > ${after} order by ${id}`, limit)
  if (page.before !== undefined) return newest(sql`${id} < ${page.before}`, page.limit)
  if (page.after !== undefined) return oldest(page.after, page.limit)
  if (page.around === undefined) return newest(sql`true`, page.limit)
  const older = newest(sql`${id} <= ${page.around}`, sql`(${page.limit}::integer + 1) / 2`)
  return sql`${older} union all ${oldest(page.around, sql`${page.limit}::integer / 2`)}`
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

/**
 * A user (author or mentioned), or a message, whose columns from `username` to `bot` are null. Zero `flags`, false `bot`
 * and empty `mentions` are null, too, which saves bytes.
 */
type PageRow = [
  id: string,
  username: string | null,
  name: string,
  icon: string | null,
  header: string | null,
  flags: number | null,
  bot: boolean | null,
  room_id: string,
  author_id: string,
  device_id: MessageRow['device_id'],
  content: string,
  mentions: string | null,
  edited_at: MessageRow['edited_at'],
  exploding_age: MessageRow['exploding_age'],
  attachment: MessageRow['attachment'],
]

/**
 * The statement for the messages that `page` selects, and for their authors and mentioned users, each once.
 */
function selectListed(page: RawBuilder<unknown>) {
  return sql<PageRow>`
    with messages as materialized (${page})
    select id, null as username, null as name, null as icon, null as header, null::integer as flags, null::boolean as bot,
      room_id, author_id, device_id, content, array_to_string(nullif(mentions, '{}'), ',') as mentions,
      edited_at, exploding_age, attachment
    from messages
    union all
    select id, username, name, icon, header, nullif(flags, 0), nullif(bot, false),
      null, null, null, null, null, null, null, null
    from users where id = any(array(select author_id from messages union all select unnest(mentions) from messages))`
}

/** The messages among the rows with their users, newest first. Columns are read by index: destructuring takes twice as long. */
function listedMessages(rows: PageRow[]): ListedMessageRow[] {
  const people = new Map<string, CompactUserRow>()
  for (const row of rows) {
    if (row[1] === null) continue
    people.set(row[0], {
      icon: row[3],
      id: row[0],
      username: row[1],
      name: row[2],
      header: row[4],
      flags: row[5] ?? 0,
      bot: row[6] ?? false,
    })
  }
  const listed: ListedMessageRow[] = []
  for (const row of rows) {
    if (row[1] !== null) continue
    const mentions = row[11] === null ? [] : row[11].split(',')
    listed.push({
      room_id: row[7],
      id: row[0],
      author_id: row[8],
      device_id: row[9],
      content: row[10],
      mentions,
      edited_at: row[12],
      exploding_age: row[13],
      attachment: row[14],
      author: people.get(row[8])!,
      mentioned: mentions.map((each) => people.get(each)!),
    })
  }
  return listed.sort(newestFirst)
}

/** The messages that `page` selects, newest first. The statement is not prepared: for rare or varying ones. */
export async function listSelected(db: Db, page: RawBuilder<unknown>): Promise<ListedMessageRow[]> {
  const { rows } = await selectListed(page).execute(db)
  return listedMessages(rows.map((row) => Object.values(row) as PageRow))
}

const readMessagesOfRoom = prepareTupleRead(({ room_id, ids }: { room_id: string; ids: readonly string[] }) =>
  selectListed(sql`
    select * from messages where room_id = ${room_id} and id = any(${ids}::bigint[]) and ${notExpired}`),
)

// Joined as pairs: `room_id = any(…) and id = any(…)` probes the index for every combination of room and id.
const readMessages = prepareTupleRead(
  ({ roomIds, ids }: { roomIds: readonly string[]; ids: readonly string[] }) =>
    selectListed(sql`
    select messages.* from unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
    join messages on messages.room_id = wanted.room_id and messages.id = wanted.id where ${notExpired}`),
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
  const read = isOneRoom ? readMessagesOfRoom(db, { room_id, ids }) : readMessages(db, { roomIds, ids })
  return listedMessages(await read)
}

const readRoomPage = preparePages((page: Page & { room_id: string }) => {
  const messages = sql`select * from messages where room_id = ${page.room_id} and ${notExpired}`
  return selectListed(selectPage(messages, sql.ref('id'), page))
}, prepareTupleRead)

/** A page of a room's messages, newest first. */
export async function listRoomMessages(db: Db, room_id: string, page: Page): Promise<ListedMessageRow[]> {
  return listedMessages(await readRoomPage(db, { room_id, ...page }))
}
