import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { greatestId, unknownId } from '../../ids.ts'
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
 * A search in these rooms, newest first. `scope_id` is the house of the rooms, or the one private room. Messages match if
 * they contain what `required` and nothing that `excluded` describes (patterns of `like`), are by one of the authors, have
 * an id below `before` and not below `from`, have a file and the like, and are pinned; `keys` are conditions for entries of
 * the index, in the syntax of `tsquery`, which all of them meet.
 */
export type Search = {
  scope_id: string
  room_ids: readonly string[]
  required: readonly string[]
  excluded: readonly string[]
  keys: readonly string[]
  author_ids?: readonly string[]
  before?: string
  from?: string
  has: readonly Having[]
  is_pinned: boolean
  limit: number
}

/** What a message can be searched for to have. */
export type Having = 'file' | 'picture' | 'link' | 'mention'

export type MessageKey = { room_id: string; id: string }

/**
 * The messages that a statement examined: how many, the lowest and the highest id, and the newest of those that match.
 * `first` is the first id of all messages of the room or house, if it was asked for.
 */
export type Examined = {
  count: number
  oldest: string | null
  newest: string | null
  first: string | null
  found: MessageKey[]
}

type ExaminedRow = Omit<Examined, 'found'> & { room_ids: string[]; ids: string[] }

/** Compares these messages with the search. */
export async function examine(
  db: Db,
  messages: RawBuilder<unknown>,
  search: Search,
  first: RawBuilder<unknown> = sql`null`,
): Promise<Examined> {
  const { limit } = search
  const newestOf = (column: string) =>
    sql`coalesce((array_agg(${sql.ref(column)} order by id desc) filter (where is_found))[:${limit}::integer], '{}')`
  const { rows } = await sql<ExaminedRow>`
    select count(*)::integer as count, min(id) as oldest, max(id) as newest,
      ${newestOf('room_id')} as room_ids, ${newestOf('id')} as ids, ${first}::bigint as first
    from (
      select room_id, id, ${isFound(search)} as is_found from (${messages}) as messages
    ) as examined`.execute(db)
  const { room_ids: roomIds, ids, ...rest } = rows[0]!
  return { ...rest, found: ids.map((id, n) => ({ room_id: roomIds[n]!, id })) }
}

const searchText = sql`search_text(content, attachment)`

/** Folding the content takes the longest, so it is the last condition: `case` keeps the order. */
function isFound(search: Search): RawBuilder<boolean> {
  const { author_ids = null, room_ids, required, excluded, has, from = unknownId } = search
  const wants = (thing: Having) => sql`${has.includes(thing)}::boolean`
  const others = sql<boolean>`room_id = any(${room_ids}::bigint[]) and ${notExpired} ${before(search)} and id >= ${from}
    and (${author_ids}::bigint[] is null or author_id = any(${author_ids}::bigint[]))
    and (attachment is not null or not ${wants('file')})
    and (attachment ->> 'content_type' like 'image/%' or not ${wants('picture')})
    and (strpos(content, '://') > 0 or not ${wants('link')})
    and (mentions <> '{}' or not ${wants('mention')})`
  const words = [
    ...(required.length === 0 ? [] : [sql`${searchText} like all (${required}::text[])`]),
    ...(excluded.length === 0 ? [] : [sql`${searchText} not like all (${excluded}::text[])`]),
  ]
  if (words.length === 0) return others
  return sql`case when ${others} then ${sql.join(words, sql` and `)} else false end`
}

export function before({ before: id }: Search) {
  return sql`and id < ${id ?? greatestId}`
}
