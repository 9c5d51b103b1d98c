import { type RawBuilder, sql } from 'kysely'
import { type Db, isDistributed } from '../../database/client.ts'

/** The ids after `after`, ascending, or those before `before`, descending. */
export type IdRange = { after: string } | { before: string }

/**
 * Room and id of the first messages of a range, in the order of the range, in these houses without `except_rooms`;
 * exploded messages are included. It takes one index probe per house, whatever its number of rooms.
 */
export async function listFeedKeys(
  db: Db,
  wanted: { house_ids: readonly string[]; except_rooms: readonly string[]; range: IdRange; count: number },
): Promise<{ room_id: string; id: string }[]> {
  const { house_ids, except_rooms, range, count } = wanted
  const isForward = 'after' in range
  const inRange = isForward ? sql`id > ${range.after}` : sql`id < ${range.before}`
  const inOrder = isForward ? sql`order by id` : sql`order by id desc`
  const ofHouse = (id: RawBuilder<unknown>) => sql`
    select room_id, id from messages
    where house_id = ${id} and house_id is not null and ${inRange} and room_id <> all(${except_rooms}::bigint[])
    ${inOrder}`
  // Citus knows no limit for each of several rows: there each house is a query of its own.
  const keys = isDistributed(db)
    ? sql`(${sql.join(
        house_ids.map((id) => firstOf(ofHouse(sql`${id}`), count)),
        sql` union all `,
      )}) as keys`
    : sql`unnest(${house_ids}::bigint[]) as wanted (id)
    cross join lateral ${firstOf(ofHouse(sql`wanted.id`), count)} as keys`
  const { rows } = await sql<{ room_id: string; id: string }>`
    select keys.room_id, keys.id from ${keys} ${inOrder} limit ${count}`.execute(db)
  return rows
}

/** The greatest `count` of `listFeedKeys`. */
export const maxFeedBatch = 1_000

/** The literal limit is for the planner, which assumes a tenth of the table for a parameter. */
function firstOf(ordered: RawBuilder<unknown>, count: number) {
  return sql`(select * from (${ordered} limit ${sql.lit(maxFeedBatch)}) as keys limit ${count})`
}
