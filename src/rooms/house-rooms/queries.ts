import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import type { OverrideRow } from '../queries.ts'

/** Holds a room until the transaction ends: nobody sends there meanwhile. */
export async function lockRoom(db: Db, id: string): Promise<void> {
  await db.selectFrom('rooms').select('id').where('id', '=', id).forUpdate().execute()
}

/** How many rooms a house has, and the place after the last. */
export async function findRoomCount(db: Db, houseId: string): Promise<{ count: number; position: number }> {
  const { rows } = await sql<{ count: number; position: number }>`
    select count(*)::integer as count, coalesce(max(position) + 1, 0) as position
    from rooms where house_id = ${houseId}`.execute(db)
  return rows[0]!
}

/** A room of a house, as it is made. */
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

/** Sets columns of a room. */
export async function updateRoom(
  db: Db,
  id: string,
  changes: { name?: string | null; description?: string | null; emoji?: string | null; position?: number },
): Promise<void> {
  await db.updateTable('rooms').set(changes).where('id', '=', id).execute()
}

/** Removes a room; its messages, mentions, overrides and pointer go with it. */
export async function deleteRoom(db: Db, id: string): Promise<void> {
  await db.deleteFrom('rooms').where('id', '=', id).execute()
}

/** Sets what a room allows and denies everybody; two zeros are none. */
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

/** Whether the rooms of a house have this many overrides or more together. */
export async function hasOverrides(db: Db, houseId: string, count: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from rooms cross join lateral jsonb_object_keys(permission_overrides)
      where house_id = ${houseId} limit ${count}
    ) as counted`.execute(db)
  return rows[0]!.count >= count
}

/** Sets the override of one role or user, in place of the one there may be. */
export async function putOverride(db: Db, roomId: string, override: OverrideRow): Promise<void> {
  await sql`
    update rooms set permission_overrides = coalesce(permission_overrides, '{}')
      || jsonb_build_object(${override.id}::text, ${JSON.stringify(override)}::jsonb)
    where id = ${roomId}`.execute(db)
}

/** Removes the override of one role or user. */
export async function deleteOverride(db: Db, roomId: string, targetId: string): Promise<void> {
  await sql`
    update rooms set permission_overrides = nullif(permission_overrides - ${targetId}::text, '{}')
    where id = ${roomId}`.execute(db)
}

/** Removes the overrides of one role or user from all rooms of a house, which are locked in id order. */
export async function deleteOverrides(db: Db, houseId: string, targetId: string): Promise<void> {
  await sql`
    with concerned as (
      select id from rooms where house_id = ${houseId} and jsonb_exists(permission_overrides, ${targetId}::text)
      order by id for update
    )
    update rooms set permission_overrides = nullif(permission_overrides - ${targetId}::text, '{}')
    from concerned where rooms.id = concerned.id`.execute(db)
}
