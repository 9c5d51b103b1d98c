import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { greatestId } from '../../ids.ts'
import { type RoomAccessRow, selectRoomAccess } from '../../rooms/queries.ts'
import { notExpired } from '../queries.ts'
import { type ListedMessageRow, limitRows, listSelected } from '../read/page-queries.ts'

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
 * What to search for, and in which rooms (fastest if those written in last come first); only messages by `author_id`,
 * and before `before`, if these are given.
 */
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

/** So many messages are searched without the index. */
const searchedFirst = 1_000
const newestToSearch = sql`order by id desc limit ${sql.lit(searchedFirst)}`

/** In so many rooms of a house, those written in last, most of its newest messages are expected. */
const livelyRooms = 10

/**
 * The messages whose words match, newest first: all words, `"a phrase"`, `-without`. The index finds every message with
 * a word, which of a common one are too many; those are among the newest messages, which are searched first.
 */
export async function searchMessages(db: Db, search: Search): Promise<ListedMessageRow[]> {
  const [room_id] = search.room_ids
  if (room_id === undefined) return []
  const newestOnes = search.room_ids.length === 1 ? newestOfRoom(room_id, search) : newestOfRooms(search)
  const found = await listSelected(
    db,
    newest(sql`select * from (${newestOnes}) as messages where ${matches(search)}`, search.limit),
  )
  return found.length === search.limit ? found : searchIndex(db, search)
}

function newestOfRoom(room_id: string, search: Search) {
  return sql`select * from messages where room_id = ${room_id} ${before(search)} ${newestToSearch}`
}

/** Where the lively rooms alone have enough messages, only those of the other rooms are read that are not older. */
function newestOfRooms(search: Search) {
  const { room_ids } = search
  const lively = newestPlaces(room_ids.slice(0, livelyRooms), search, sql`0`)
  const oldest = sql`coalesce((select id from (${lively}) as lively offset ${sql.lit(searchedFirst - 1)}), 0)`
  return sql`select messages.* from (${newestPlaces(room_ids, search, oldest)}) as newest
    join messages on messages.room_id = newest.room_id and messages.id = newest.id order by newest.id desc`
}

/** Room and id of the newest messages of these rooms that are not older than `oldest`; the index holds both. */
function newestPlaces(roomIds: readonly string[], search: Search, oldest: RawBuilder<unknown>) {
  return sql`select wanted.room_id, newest.id from unnest(${roomIds}::bigint[]) as wanted (room_id)
    cross join lateral (
      select id from messages
      where messages.room_id = wanted.room_id and id >= ${oldest} ${before(search)} ${newestToSearch}
    ) as newest ${newestToSearch}`
}

/** What the index `messages_search_in_rooms` is made of: the words, and as two more the room and the author. */
const indexed = sql`(to_tsvector('simple', content)
  || array_to_tsvector(array['room ' || room_id::text, 'author ' || author_id::text]))`

/** So many rooms of a house are looked up in the index one by one. */
const singleRooms = 20

/**
 * Room by room, the index skips what is said elsewhere; but it takes as long for every room as for all at once, so of
 * many rooms all hits are read, and then those in other houses left out. A search for nothing but exclusions goes room
 * by room in any case: without a word that has to occur, all of the index would be read.
 */
function searchIndex(db: Db, search: Search): Promise<ListedMessageRow[]> {
  const { room_ids, author_id, limit } = search
  const words = wantedWords(search)
  const author = author_id === undefined ? [] : [`'author ${author_id}'`]
  const places = room_ids.map((id) => [`'room ${id}'`, ...author].join(' & '))
  const wanted =
    room_ids.length <= singleRooms
      ? sql`${places}`
      : sql`case querytree(${words}) when 'T' then ${places} else ${author.length > 0 ? author : ['']} end`
  // Of a search without a word (only a dash, say), the place alone would be left, and everything match. `offset 0`
  // keeps the rooms from being read whole, by their primary key.
  const found = sql`
    select * from (
      select * from messages where ${indexed} @@ (wanted.place && ${words}) and numnode(${words}) > 0 offset 0
    ) as messages
    where room_id = any(${room_ids}::bigint[]) and ${notExpired} ${before(search)}`
  const placed = sql`
    select messages.* from unnest((${wanted})::tsquery[]) as wanted (place)
    cross join lateral ${newest(found, limit)} as messages`
  return listSelected(db, newest(placed, limit))
}

function matches(search: Search) {
  const { author_id } = search
  return sql`to_tsvector('simple', content) @@ ${wantedWords(search)} and ${notExpired}
    and author_id = coalesce(${author_id ?? null}::bigint, author_id)`
}

function wantedWords({ q }: Search) {
  return sql`websearch_to_tsquery('simple', ${asWebSearch(q)})`
}

function before({ before: id }: Search) {
  return sql`and id < ${id ?? greatestId}`
}

function newest(found: RawBuilder<unknown>, limit: number) {
  return limitRows(sql`${found} order by id desc`, limit)
}
