import { sql } from 'kysely'
import { type Db, isDistributed } from '../../database/client.ts'
import { lockInEachRoom } from './distributed-queries.ts'
import type { DeletedRow } from './queries.ts'

/** A room, and the age past which its house has messages deleted, in seconds; null: it has set none. */
type RoomOfAge = { id: string; max_age: number | null }

/** The rooms behind a room, in order. */
export async function listRoomsAfter(db: Db, after: string, limit: number): Promise<RoomOfAge[]> {
  const { rows } = await sql<RoomOfAge>`
    select id, (select max_age from house_retention where house_retention.house_id = rooms.house_id) as max_age
    from rooms where id > ${after} order by id limit ${limit}`.execute(db)
  return rows
}

/** A room of a house that has set an age, in seconds; a house without rooms has one row. */
type HouseRoomOfAge = { house_id: string; max_age: number; id: string | null }

/** The rooms of the next houses behind a house that have set an age, `houses` at most, house by house. */
export async function listHouseRoomsAfter(db: Db, after: string, houses: number): Promise<HouseRoomOfAge[]> {
  const { rows } = await sql<HouseRoomOfAge>`
    select page.house_id, page.max_age, rooms.id
    from (
      select house_id, max_age from house_retention where house_id > ${after} order by house_id limit ${houses}
    ) as page
    left join lateral (select id from rooms where house_id = page.house_id offset 0) as rooms on true
    order by page.house_id, rooms.id`.execute(db)
  return rows
}

/** A room whose messages with ids below `before` are too old. */
export type OutdatedRoom = { id: string; before: string }

/**
 * Messages of these rooms that are too old, locked until the transaction ends, except those that somebody else has
 * locked: nobody waits, and no two processes delete the same.
 */
export async function lockOutdated(
  db: Db,
  rooms: readonly OutdatedRoom[],
  limit: number,
): Promise<DeletedRow[]> {
  if (isDistributed(db)) {
    const wanted = rooms.map(({ id, before }) => ({ room_id: id, condition: sql`id < ${before}` }))
    return lockInEachRoom(db, wanted, { limit, skipsLocked: true })
  }
  const ids = rooms.map(({ id }) => id)
  const before = rooms.map((room) => room.before)
  const { rows } = await sql<DeletedRow>`
    select outdated.room_id, outdated.id, outdated.house_id
    from unnest(${ids}::bigint[], ${before}::bigint[]) as looked (id, before)
    cross join lateral (
      select room_id, id, house_id from messages where room_id = looked.id and id < looked.before
      order by id limit ${limit} for update skip locked
    ) as outdated
    limit ${limit}`.execute(db)
  return rows
}
