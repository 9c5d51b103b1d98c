import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import type { OverrideRow } from '../queries.ts'

/** Locks a room until the transaction ends; sending to it waits. */
export async function lockRoom(db: Db, id: string): Promise<void> {
  await db.selectFrom('rooms').select('id').where('id', '=', id).forUpdate().execute()
}

/** The number of rooms of a house, and the position after the last one. */
export async function findRoomCount(db: Db, houseId: string): Promise<{ count: number; position: number }> {
  const { rows } = await sql<{ count: number; position: number }>`
    select count(*)::integer as count, coalesce(max(position) + 1, 0) as position
    from rooms where house_id = ${houseId}`.execute(db)
  return rows[0]!
}

/** The columns of a new house room. */
type NewHouseRoom = {
  id: string
  house_id: string
  name: string
  description: string | null
  emoji: string | null
  position: number
}

export async function insertHouseRoom(db: Db, row: NewHouseRoom): Promise<void> {
  await db
    .insertInto('rooms')
    .values({ ...row, type: 0 })
    .execute()
}

/** Updates columns of a room. */
export async function updateRoom(
  db: Db,
  id: string,
  changes: { name?: string | null; description?: string | null; emoji?: string | null; position?: number },
): Promise<void> {
  await db.updateTable('rooms').set(changes).where('id', '=', id).execute()
}

/** Deletes a room with its pins, its place in an entity and what its members have read. */
export async function deleteRoom(db: Db, id: string): Promise<void> {
  await db.deleteFrom('rooms').where('id', '=', id).execute()
}

/** Sets the default permission override of a room; two zeros mean none. */
export async function updateRoomDefaults(
  db: Db,
  id: string,
  { allow, deny }: { allow: number; deny: number },
): Promise<void> {
  await db
    .updateTable('rooms')
    .set({ default_allow: allow, default_deny: deny })
    .where('id', '=', id)
    .execute()
}

/** Whether the rooms of a house together have at least `count` overrides. */
export async function hasOverrides(db: Db, houseId: string, count: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from rooms cross join lateral jsonb_object_keys(permission_overrides)
      where house_id = ${houseId} limit ${count}
    ) as counted`.execute(db)
  return rows[0]!.count >= count
}

/** Inserts or replaces the override of a role or user. */
export async function upsertOverride(db: Db, roomId: string, override: OverrideRow): Promise<void> {
  await sql`
    update rooms set permission_overrides = coalesce(permission_overrides, '{}')
      || jsonb_build_object(${override.id}::text, ${JSON.stringify(override)}::jsonb)
    where id = ${roomId}`.execute(db)
}

/** Deletes the override of a role or user. */
export async function deleteOverride(db: Db, roomId: string, targetId: string): Promise<void> {
  await sql`
    update rooms set permission_overrides = nullif(permission_overrides - ${targetId}::text, '{}')
    where id = ${roomId}`.execute(db)
}

/** Deletes the overrides of a role or user in all rooms of a house, which are locked in id order. */
export async function deleteOverrides(db: Db, houseId: string, targetId: string): Promise<void> {
  await sql`
    with concerned as (
      select id from rooms where house_id = ${houseId} and jsonb_exists(permission_overrides, ${targetId}::text)
      order by id for update
    )
    update rooms set permission_overrides = nullif(permission_overrides - ${targetId}::text, '{}')
    from concerned where rooms.id = concerned.id`.execute(db)
}
