import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { type Examined, examine, requiredWords, type Search, termsOf } from './queries.ts'

/** The bits of an id below the number of a span of 2.3 hours, and of one of 6.2 days: each is a word of the index. */
const [hoursBits, daysBits] = [45n, 51n]

/** The lengths of periods as bits of an id, from 2.3 hours to 99 days: one span, or up to 16 of them. */
const periodBits = [hoursBits, hoursBits + 3n, daysBits, daysBits + 2n, daysBits + 4n] as const

/** Examining more messages at a time with the index takes too long. */
const messagesOfPeriod = 250_000n

/** The length of the longest period in which so many messages are expected, where `count` have ids in a range. */
export function longestPeriod(count: number, range: bigint): number {
  return Math.max(
    0,
    periodBits.findLastIndex((bits) => BigInt(count) << bits <= messagesOfPeriod * range),
  )
}

/** The first id of the period of a length in which a message has its id. */
export function periodStart(length: number, id: bigint): bigint {
  const bits = periodBits[length]!
  return (id >> bits) << bits
}

/** The most matches of a period that are examined. */
export const matchesOfPeriod = 1_000

/** The expression of the index `messages_search_by_time`. Beside the words of the content it has some with a space. */
const indexed = sql`(to_tsvector('simple', content) || array_to_tsvector(array[
  'room ' || room_id::text, 'author ' || author_id::text,
  'hours ' || coalesce(house_id, room_id)::text || ' ' || (id >> 45)::text,
  'days ' || coalesce(house_id, room_id)::text || ' ' || (id >> 51)::text]))`

/** Up to so many rooms are looked up in the index; of more, every message of the house is, and compared later. */
const roomsInIndex = 20

/**
 * Examines the messages of the house or private room in the period that starts at an id and that may match, as far as
 * the index says, in no order. If they are `matchesOfPeriod`, there can be more.
 *
 * PostgreSQL intersects the conditions by skipping, so the cost depends on the length of the period, and not on how
 * often a word occurs elsewhere. The period must come first: of the first condition every match is visited.
 */
export function examinePeriod(
  db: Db,
  search: Search,
  period: { start: bigint; length: number; hasRequired: boolean },
): Promise<Examined> {
  const { scope_id, room_ids, author_id } = search
  const excluded = excludedWords(search)
  const isIn = [
    sql`${spansOf(scope_id, period)}::tsquery`,
    ...(room_ids.length <= roomsInIndex ? [sql`${anyOf(room_ids.map((id) => `room ${id}`))}::tsquery`] : []),
    ...(author_id === undefined ? [] : [sql`${anyOf([`author ${author_id}`])}::tsquery`]),
  ]
  const conditions = period.hasRequired
    ? [...isIn, sql`(${requiredWords(search)} ${excluded})`]
    : isIn.map((each, n) => (n === isIn.length - 1 ? sql`(${each} ${excluded})` : each))
  return examine(
    db,
    sql`select * from messages where ${sql.join(
      conditions.map((each) => sql`${indexed} @@ ${each}`),
      sql` and `,
    )} limit ${sql.lit(matchesOfPeriod)}`,
    search,
  )
}

/** The words of the spans that the period consists of. */
function spansOf(scopeId: string, { start, length }: { start: bigint; length: number }): string {
  const bits = periodBits[length]!
  const [name, spanBits] = bits < daysBits ? (['hours', hoursBits] as const) : (['days', daysBits] as const)
  const spans = Array.from(
    { length: 1 << Number(bits - spanBits) },
    (_, n) => (start >> spanBits) + BigInt(n),
  )
  return anyOf(spans.map((span) => `${name} ${scopeId} ${span}`))
}

/** A query for any of these words, which contain no quotes. */
function anyOf(words: string[]): string {
  return words.map((word) => `'${word}'`).join(' | ')
}

/** The single words that must not occur. Whether a phrase occurs cannot be said by the index. */
function excludedWords(search: Search) {
  return sql.join(
    termsOf(search).excluded.map((text) => {
      const words = sql`plainto_tsquery('simple', ${text})`
      return sql`&& case numnode(${words}) when 1 then !! ${words} else '' end`
    }),
    sql` `,
  )
}
