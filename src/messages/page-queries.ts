import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { prepareRead } from '../db/reads.ts'
import { isGreaterId } from '../ids.ts'
import type { CompactUserRow } from '../users/queries.ts'
import { isThere, type MessageRow } from './queries.ts'

/** The page that is asked for; at most one of the three ids is set. */
export type Page = { limit: number; before?: string; after?: string; around?: string }

const pageKinds = ['before', 'after', 'around'] as const

/**
 * The statement for one page: `select` (which ends in a where clause), limited to the rows whose `id` lies in the page,
 * in no order.
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

/** A read of a page, prepared once for each kind and length of page. */
export function preparePages<Values extends Page, Row>(build: (values: Values) => RawBuilder<Row>) {
  const reads = new Map<string, (db: Db, values: Values) => Promise<Row[]>>()
  return (db: Db, values: Values): Promise<Row[]> => {
    const kind = pageKinds.find((each) => values[each] !== undefined)
    const key = `${kind} ${values.limit}`
    let read = reads.get(key)
    if (!read) {
      const absent = pageKinds.filter((each) => each !== kind).map((each) => [each, undefined])
      read = prepareRead(build, { limit: values.limit, ...Object.fromEntries(absent) })
      reads.set(key, read)
    }
    return read(db, values)
  }
}

/** A message with its author and the mentioned users, as lists show it. */
export type ListedMessageRow = MessageRow & { author: CompactUserRow; mentioned: CompactUserRow[] }

/** A message, or somebody who wrote one or is mentioned: they have a username. What hardly anybody has is not sent. */
type PageRow =
  | (Omit<MessageRow, 'mentions'> & { mentions: string | null; username: null })
  | (Omit<CompactUserRow, 'flags' | 'bot'> & { flags: number | null; bot: boolean | null })

/**
 * The statement for the messages that `page` selects, and for everybody who wrote one or is mentioned, each once.
 */
function selectListed(page: RawBuilder<unknown>) {
  return sql<PageRow>`
    with messages as materialized (${page})
    select room_id, id, author_id, device_id, content, array_to_string(nullif(mentions, '{}'), ',') as mentions,
      edited_at, exploding_age, attachment,
      null as username, null as name, null as icon, null as header, null::integer as flags, null::boolean as bot
    from messages
    union all
    select null, id, null, null, null, null, null, null, null, username, name, icon, header,
      nullif(flags, 0), nullif(bot, false)
    from users where id = any(array(select author_id from messages union all select unnest(mentions) from messages))`
}

/** The messages among the rows with their people, newest first. */
function listedMessages(rows: PageRow[]): ListedMessageRow[] {
  const people = new Map<string, CompactUserRow>()
  for (const row of rows) {
    if (row.username === null) continue
    const { icon, id, username, name, header, flags, bot } = row
    people.set(id, { icon, id, username, name, header, flags: flags ?? 0, bot: bot ?? false })
  }
  const listed: ListedMessageRow[] = []
  for (const row of rows) {
    if (row.username !== null) continue
    const { room_id, id, author_id, device_id, content, edited_at, exploding_age, attachment } = row
    const mentions = row.mentions === null ? [] : row.mentions.split(',')
    listed.push({
      room_id,
      id,
      author_id,
      device_id,
      content,
      mentions,
      edited_at,
      exploding_age,
      attachment,
      author: people.get(author_id)!,
      mentioned: mentions.map((each) => people.get(each)!),
    })
  }
  return listed.sort(newestFirst)
}

/** The messages that `page` selects, newest first. Not prepared: for statements that are rare, or vary too much. */
export async function listSelected(db: Db, page: RawBuilder<unknown>): Promise<ListedMessageRow[]> {
  return listedMessages((await selectListed(page).execute(db)).rows)
}

const readMessagesOfRoom = prepareRead(({ room_id, ids }: { room_id: string; ids: readonly string[] }) =>
  selectListed(sql`
    select * from messages where room_id = ${room_id} and id = any(${ids}::bigint[]) and ${isThere}`),
)

// Pairs: `room_id = any(…) and id = any(…)` would probe the index once for every room and every id.
const readMessages = prepareRead(({ roomIds, ids }: { roomIds: readonly string[]; ids: readonly string[] }) =>
  selectListed(sql`
    select messages.* from unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
    join messages on messages.room_id = wanted.room_id and messages.id = wanted.id where ${isThere}`),
)

/** The messages at these places (room and id, pairwise) that are there, newest first. */
export async function listMessages(
  db: Db,
  roomIds: readonly string[],
  ids: readonly string[],
): Promise<ListedMessageRow[]> {
  const [room_id] = roomIds
  if (room_id === undefined) return []
  // Neighbouring messages of one room are read together, which costs half as much as probing for each.
  const isOneRoom = roomIds.every((each) => each === room_id)
  const read = isOneRoom ? readMessagesOfRoom(db, { room_id, ids }) : readMessages(db, { roomIds, ids })
  return listedMessages(await read)
}

const readRoomPage = preparePages((page: Page & { room_id: string }) =>
  selectListed(
    selectPage(
      sql`select * from messages where room_id = ${page.room_id} and ${isThere}`,
      sql.ref('id'),
      page,
    ),
  ),
)

/** A page of a room's messages, newest first. */
export async function listRoomMessages(db: Db, room_id: string, page: Page): Promise<ListedMessageRow[]> {
  return listedMessages(await readRoomPage(db, { room_id, ...page }))
}
