import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { type RoomAccessRow, selectRoomAccess } from '../rooms/queries.ts'
import { type ListedMessageRow, listSelected } from './page-queries.ts'
import { isThere } from './queries.ts'

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

/** So many messages of a room are searched without the index. */
const searchedFirst = 1_000

/**
 * The messages whose words match, newest first: all words, `"a phrase"`, `-without`. The index finds every message with
 * a word, which of a common one are too many; those are among the newest messages of a room, which are searched first.
 */
export async function searchMessages(db: Db, search: Search): Promise<ListedMessageRow[]> {
  const { room_ids, limit } = search
  const [room_id] = room_ids
  if (room_id !== undefined && room_ids.length === 1) {
    const found = await searchNewest(db, room_id, search)
    if (found.length === limit) return found
  }
  const ofRooms = sql`select * from messages where room_id = any(${room_ids}::bigint[]) ${earlier(search)}`
  return listSelected(db, sql`${ofRooms} and ${matches(search)} ${newest(limit)}`)
}

function searchNewest(db: Db, room_id: string, search: Search): Promise<ListedMessageRow[]> {
  const ofRoom = sql`select * from messages where room_id = ${room_id} ${earlier(search)} ${newest(searchedFirst)}`
  return listSelected(
    db,
    sql`select * from (${ofRoom}) as messages where ${matches(search)} ${newest(search.limit)}`,
  )
}

function earlier({ before }: Search) {
  return sql`and ${isThere} ${before === undefined ? sql`` : sql`and id < ${before}`}`
}

function matches({ q, author_id }: Search) {
  return sql`to_tsvector('simple', content) @@ websearch_to_tsquery('simple', ${asWebSearch(q)})
    ${author_id === undefined ? sql`` : sql`and author_id = ${author_id}`}`
}

function newest(limit: number) {
  return sql`order by id desc limit ${sql.lit(limit)}`
}
