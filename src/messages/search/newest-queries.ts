import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { greatestId } from '../../ids.ts'
import { before, type Examined, examine, type Search } from './queries.ts'

/** The number of messages that are examined at first, without the index, and at a time after that. */
export const newestMessages = { first: 250, further: 1_000 }

/**
 * Examines the `count` newest messages of the room, or of the house if there are several rooms; of the pinned ones only, if
 * the search is for them. `first` is the first id of all messages there.
 */
export function examineNewest(db: Db, search: Search, count: number): Promise<Examined> {
  const { scope_id, room_ids } = search
  const place = room_ids.length === 1 ? sql`room_id = ${room_ids[0]}` : sql`house_id = ${scope_id}`
  return examine(
    db,
    search.is_pinned
      ? sql`select messages.* from pins
          join messages on messages.room_id = pins.room_id and messages.id = pins.message_id
          where pins.room_id = any(${room_ids}::bigint[]) and pins.message_id < ${search.before ?? greatestId}
          order by pins.message_id desc limit ${sql.lit(count)}`
      : sql`select * from messages where ${place} ${before(search)} order by id desc limit ${sql.lit(count)}`,
    search,
    sql`(select min(id) from messages where ${place})`,
  )
}
