import { sql } from 'kysely'
import { type Db, isDistributed } from '../../database/client.ts'
import { type Examined, examine, type Search } from './queries.ts'

/** Each message has the spans of time of 2.3 hours and of 6.2 days as words of the index, as ids without their last bits. */
const hours = { name: 'hours', bits: 45n }
const days = { name: 'days', bits: 51n }

/** The lengths of periods. */
const periodLengths = [
  { span: hours, count: 1 },
  { span: hours, count: 8 },
  { span: days, count: 1 },
  { span: days, count: 4 },
  { span: days, count: 16 },
] as const

/** Examining more messages at a time with the index takes too long. */
const messagesOfPeriod = 1_000_000

/**
 * The number of the longest length with so many messages, if `count` messages have ids in a range, and what share of them
 * the shortest one has.
 */
export function longestPeriod(count: number, range: bigint): { longest: number; share: number } {
  const messagesIn = (length: number) => (count * Number(idsOf(periodLengths[length]!))) / Number(range)
  const share = messagesIn(0) / messagesOfPeriod
  const longest = periodLengths.findLastIndex((_, length) => messagesIn(length) <= messagesOfPeriod)
  return { longest: Math.max(0, longest), share }
}

/** How many times as long as the shortest one the periods of a length are. */
export function lengthOfPeriod(length: number): number {
  return Number(idsOf(periodLengths[length]!) / idsOf(periodLengths[0]))
}

/** The first id of the period of a length in which a message has its id. */
export function periodStart(length: number, id: bigint): bigint {
  return id - (id % idsOf(periodLengths[length]!))
}

function idsOf({ span, count }: (typeof periodLengths)[number]): bigint {
  return BigInt(count) << span.bits
}

/** The most matches of a period that are examined. */
export const matchesOfPeriod = 1_000

/**
 * The expression of the index `messages_search_by_time`. It has up to 400 beginnings of words, what the message has, and
 * entries with a space for room, author and time.
 */
const indexed = sql`search_keys(content, attachment, mentions, array[
  'room ' || room_id::text, 'author ' || author_id::text,
  'hours ' || coalesce(house_id, room_id)::text || ' ' || (id >> 45)::text,
  'days ' || coalesce(house_id, room_id)::text || ' ' || (id >> 51)::text])`

/** Up to so many rooms are looked up in the index; of more, every message of the house is, and compared later. */
const roomsInIndex = 20

/** A room with at most so many messages is looked up without periods. */
const messagesOfSmallRoom = 10_000

/**
 * Examines the messages of the house or private room in the period that starts at an id and that may match, as far as
 * the index says, in no order. If they are `matchesOfPeriod`, there can be more.
 *
 * PostgreSQL intersects the conditions by skipping, so the cost depends on the length of the period, and not on how
 * often a word occurs elsewhere. The span must come first: of the first condition every match is visited. `offset 0` makes
 * it look up the spans one by one, the newest first, which ends early where much matches.
 */
export function examinePeriod(
  db: Db,
  search: Search,
  period: { start: bigint; length: number },
): Promise<Examined> {
  const keys = indexKeys(search)
  const spans = spansOf(search, period)
  if (isDistributed(db)) return examineOnShards(db, search, spans, keys)
  const matching =
    keys === ''
      ? sql`${indexed} @@ wanted.span`
      : sql`${indexed} @@ wanted.span and ${indexed} @@ ${keys}::text::tsquery`
  return examine(
    db,
    sql`select found.* from unnest(${spans}::text[]::tsquery[]) as wanted (span)
      cross join lateral (select * from messages where ${matching} offset 0) as found limit ${sql.lit(matchesOfPeriod)}`,
    search,
  )
}

/** The same where messages are distributed: all spans at once, on each shard. */
function examineOnShards(db: Db, search: Search, spans: string[], keys: string): Promise<Examined> {
  const matching = [`(${spans.join(' | ')})`, ...(keys === '' ? [] : [keys])].join(' & ')
  return examine(
    db,
    sql`select * from messages where ${indexed} @@ ${matching}::text::tsquery limit ${sql.lit(matchesOfPeriod)}`,
    search,
  )
}

/** The same for all messages of the only room, which must be few, and without a limit. */
export function examineRoom(db: Db, search: Search): Promise<Examined> {
  return examine(
    db,
    sql`select * from messages where ${indexed} @@ ${indexKeys(search)}::text::tsquery`,
    search,
  )
}

/** Ends statements of a transaction that take longer. */
export async function limitStatements(trx: Db, ms: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(trx)
}

/** Whether the only room has so few messages that all can be looked up at once. */
export async function isSmallRoom(db: Db, { room_ids }: Search): Promise<boolean> {
  const { rows } = await sql`
    select 1 from messages where room_id = ${room_ids[0]} offset ${sql.lit(messagesOfSmallRoom)} limit 1`.execute(
    db,
  )
  return rows.length === 0
}

/** Whether the index can tell something about the messages that match, beside their time. */
export function isInIndex(search: Search): boolean {
  return indexKeys(search) !== ''
}

/** The entries of all messages that match, as a `tsquery`: of words, rooms, authors, and of what they have. */
function indexKeys({ room_ids, author_ids, keys, has }: Search): string {
  return [
    ...(room_ids.length <= roomsInIndex ? [anyOf(room_ids.map((id) => `room ${id}`))] : []),
    ...(author_ids ? [anyOf(author_ids.map((id) => `author ${id}`))] : []),
    ...has.map((thing) => anyOf([`has ${thing}`])),
    ...keys,
  ].join(' & ')
}

/** The entries of the spans that the period consists of, the newest first. */
function spansOf({ scope_id }: Search, { start, length }: { start: bigint; length: number }): string[] {
  const { span, count } = periodLengths[length]!
  const newest = (start >> span.bits) + BigInt(count - 1)
  return Array.from({ length: count }, (_, n) => anyOf([`${span.name} ${scope_id} ${newest - BigInt(n)}`]))
}

/** A query for any of these entries, which contain no quotes. */
function anyOf(entries: string[]): string {
  return `(${entries.map((entry) => `'${entry}'`).join(' | ')})`
}
