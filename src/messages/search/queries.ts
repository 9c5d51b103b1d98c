import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { greatestId } from '../../ids.ts'
import { type RoomAccessRow, selectRoomAccess } from '../../rooms/queries.ts'
import { notExpired } from '../queries.ts'

/** The access of a user to every room of one house. */
export async function listRoomAccessInHouse(
  db: Db,
  userId: string,
  houseId: string,
): Promise<RoomAccessRow[]> {
  const wanted = sql`(select id as room_id, ${userId}::bigint as user_id
    from rooms where house_id = ${houseId}) as wanted`
  return (await selectRoomAccess(wanted).execute(db)).rows
}

/**
 * A search: `q` in these rooms; if given, only messages by `author_id`, and with ids below `before`. `scope_id` is the
 * house of the rooms, or the one private room.
 */
export type Search = {
  q: string
  scope_id: string
  room_ids: readonly string[]
  author_id?: string
  before?: string
  limit: number
}

/** A phrase, or a word between white space, with the dashes before it. */
const searchTerm = /(-*)(?:"([^"]*)"?|([^\s"]+))/gu

/** The words and phrases of a search that must occur, and those that must not. */
export function termsOf({ q }: Search): { required: string[]; excluded: string[] } {
  const terms = [...q.matchAll(searchTerm)].map(([, dashes, phrase, piece]) => ({
    isExcluded: dashes !== '',
    text: phrase ?? piece ?? '',
  }))
  const texts = (isExcluded: boolean) =>
    terms.filter((term) => term.isExcluded === isExcluded).map(({ text }) => text)
  return { required: texts(false), excluded: texts(true) }
}

/**
 * A search in the syntax of `websearch_to_tsquery`. Each word is quoted, so that only a minus before it has a meaning,
 * and not "or", a single dash or the colon of a URL. Several dashes become one, because PostgreSQL refuses more than 32.
 */
function wantedWords(search: Search) {
  const { required, excluded } = termsOf(search)
  const terms = [...required.map((text) => `"${text}"`), ...excluded.map((text) => `-"${text}"`)]
  return sql`websearch_to_tsquery('simple', ${terms.join(' ')})`
}

/** All words that must occur, also those of phrases, in any order. */
export function requiredWords(search: Search) {
  return sql`plainto_tsquery('simple', ${termsOf(search).required.join(' ')})`
}

type MessageKey = { room_id: string; id: string }

/**
 * The messages that a statement examined: how many, the lowest and the highest id, and the newest of those that match.
 * `words` and `required` count the words of the search, and those that must occur: PostgreSQL finds no word in a dash.
 * `first` is the first id of all messages of the room or house, if it was asked for.
 */
export type Examined = {
  count: number
  oldest: string | null
  newest: string | null
  first: string | null
  found: MessageKey[]
  words: number
  required: number
}

type ExaminedRow = Omit<Examined, 'found'> & { room_ids: string[]; ids: string[] }

/** Compares these messages with the search. */
export async function examine(
  db: Db,
  messages: RawBuilder<unknown>,
  search: Search,
  first: RawBuilder<unknown> = sql`null`,
): Promise<Examined> {
  const { author_id, limit, room_ids } = search
  const newestOf = (column: string) =>
    sql`coalesce((array_agg(${sql.ref(column)} order by id desc) filter (where is_found))[:${limit}::integer], '{}')`
  const { rows } = await sql<ExaminedRow>`
    select count(*)::integer as count, min(id) as oldest, max(id) as newest,
      ${newestOf('room_id')} as room_ids, ${newestOf('id')} as ids, numnode(${wantedWords(search)}) as words,
      numnode(${requiredWords(search)}) as required, ${first}::bigint as first
    from (
      select room_id, id, room_id = any(${room_ids}::bigint[]) and ${notExpired} ${before(search)}
        and author_id = coalesce(${author_id ?? null}::bigint, author_id)
        and to_tsvector('simple', content) @@ ${wantedWords(search)} as is_found
      from (${messages}) as messages
    ) as examined`.execute(db)
  const { room_ids: roomIds, ids, ...rest } = rows[0]!
  return { ...rest, found: ids.map((id, n) => ({ room_id: roomIds[n]!, id })) }
}

export function before({ before: id }: Search) {
  return sql`and id < ${id ?? greatestId}`
}
