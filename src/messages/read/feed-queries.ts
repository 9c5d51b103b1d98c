import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** Where messages are: one after `after` and the ones that follow it, or else those before `before`. */
export type IdRange = { after: string } | { before: string }

/**
 * Room and id of the first messages of a stretch in these houses but for some rooms, the nearest to its beginning
 * first, exploded ones among them. One probe of an index for each house, however many rooms it has.
 */
export async function listPlaces(
  db: Db,
  wanted: { house_ids: readonly string[]; except_rooms: readonly string[]; stretch: IdRange; count: number },
): Promise<{ room_id: string; id: string }[]> {
  const { house_ids, except_rooms, stretch, count } = wanted
  const isForward = 'after' in stretch
  const beyond = isForward ? sql`id > ${stretch.after}` : sql`id < ${stretch.before}`
  const inOrder = isForward ? sql`order by id` : sql`order by id desc`
  const ofHouse = sql`
    select room_id, id from messages
    where house_id = wanted.id and house_id is not null and ${beyond} and room_id <> all(${except_rooms}::bigint[])
    ${inOrder}`
  const { rows } = await sql<{ room_id: string; id: string }>`
    select places.room_id, places.id from unnest(${house_ids}::bigint[]) as wanted (id)
    cross join lateral ${firstOf(ofHouse, count)} as places ${inOrder} limit ${count}`.execute(db)
  return rows
}

/** The greatest count of places. */
export const maxPlaces = 1_000

/** The planner reads the greatest count, as it would take an unknown one for a tenth of the table. */
function firstOf(ordered: RawBuilder<unknown>, count: number) {
  return sql`(select * from (${ordered} limit ${sql.lit(maxPlaces)}) as places limit ${count})`
}

/** Those of these people whom a user has blocked or restricted. */
export async function listMutedRooms(
  db: Db,
  userId: string,
  authorIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ target_id: string }>`
    select target_id from blocks where user_id = ${userId} and target_id = any(${authorIds}::bigint[])`.execute(
    db,
  )
  return new Set(rows.map((row) => row.target_id))
}
