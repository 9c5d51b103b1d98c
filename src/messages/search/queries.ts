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
 * A search: `q` in these rooms, of which those with the latest messages must come first for speed; if given, only
 * messages by `author_id`, and with ids below `before`.
 */
export type Search = {
  q: string
  room_ids: readonly string[]
  author_id?: string
  before?: string
  limit: number
}

/** A phrase, or a word between white space, with the dashes before it. */
const searchTerm = /(-*)(?:"([^"]*)"?|([^\s"]+))/gu

/**
 * A search in the syntax of `websearch_to_tsquery`. Each word is quoted, so that only a minus before it has a meaning,
 * and not "or", a single dash or the colon of a URL. Several dashes become one, because PostgreSQL refuses more than 32.
 */
function asWebSearch(q: string): string {
  const terms = [...q.matchAll(searchTerm)]
  return terms.map(([, dashes, phrase, piece]) => `${dashes ? '-' : ''}"${phrase ?? piece}"`).join(' ')
}

/** The newest messages that are searched without the index. */
const scannedMessages = 1_000
const newestToSearch = sql`order by id desc limit ${sql.lit(scannedMessages)}`

/** The rooms with the latest messages, in which most of the newest messages of a house are expected. */
const recentRooms = 10

/**
 * The matching messages, newest first: all words, `"a phrase"`, `-without`. The newest messages are scanned first. The
 * index is used only if these do not fill the page, because it reads all messages with a word, too many for a common
 * one.
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

/** If the recent rooms have enough messages, only messages of the other rooms that are not older are read. */
function newestOfRooms(search: Search) {
  const { room_ids } = search
  const recent = newestKeys(room_ids.slice(0, recentRooms), search, sql`0`)
  const oldest = sql`coalesce((select id from (${recent}) as recent offset ${sql.lit(scannedMessages - 1)}), 0)`
  return sql`select messages.* from (${newestKeys(room_ids, search, oldest)}) as newest
    join messages on messages.room_id = newest.room_id and messages.id = newest.id order by newest.id desc`
}

/** Room and id of the newest messages of these rooms with ids from `oldest` on: an index-only scan. */
function newestKeys(roomIds: readonly string[], search: Search, oldest: RawBuilder<unknown>) {
  return sql`select wanted.room_id, newest.id from unnest(${roomIds}::bigint[]) as wanted (room_id)
    cross join lateral (
      select id from messages
      where messages.room_id = wanted.room_id and id >= ${oldest} ${before(search)} ${newestToSearch}
    ) as newest ${newestToSearch}`
}

/** The expression of the index `messages_search_in_rooms`: the words, and the room and the author as two more. */
const indexed = sql`(to_tsvector('simple', content)
  || array_to_tsvector(array['room ' || room_id::text, 'author ' || author_id::text]))`

/** Up to so many rooms are looked up in the index one by one. */
const singleRooms = 20

/**
 * A lookup with a room skips messages of other rooms, but takes as long for each room as one lookup for all. For many
 * rooms all matches of the installation are therefore read, and filtered. A search with exclusions only is always made
 * room by room, because without a required word the whole index would be read.
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
  // Without a word (a dash only) the query would consist of the room alone and match everything: `numnode` is 0 then.
  // `offset 0` prevents a plan that reads whole rooms by the primary key.
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
