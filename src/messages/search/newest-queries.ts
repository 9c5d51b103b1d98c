import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { before, type Examined, examine, type Search } from './queries.ts'

/** The number of messages that are examined at a time without the index. */
export const newestMessages = 250

/**
 * Examines the newest messages of the room, or of the house if there are several rooms. `first` is the first id of all
 * messages there.
 */
export function examineNewest(db: Db, search: Search): Promise<Examined> {
  const { scope_id, room_ids } = search
  const place = room_ids.length === 1 ? sql`room_id = ${room_ids[0]}` : sql`house_id = ${scope_id}`
  return examine(
    db,
    sql`select * from messages where ${place} ${before(search)} order by id desc limit ${sql.lit(newestMessages)}`,
    search,
    sql`(select min(id) from messages where ${place})`,
  )
}
