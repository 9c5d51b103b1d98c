import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'

export type RoleRow = {
  id: string
  house_id: string
  name: string
  position: number
  color: string
  allow: number
  deny: number
}

/** The roles of a member of a house, highest first, as JSON in one column. */
export function rolesOfMember(
  houseId: RawBuilder<unknown>,
  userId: RawBuilder<unknown>,
): RawBuilder<RoleRow[]> {
  return sql<RoleRow[]>`coalesce((
    select json_agg(json_build_object('id', roles.id::text, 'house_id', roles.house_id::text, 'name', roles.name,
      'position', roles.position, 'color', roles.color, 'allow', roles.allow, 'deny', roles.deny)
      order by roles.position desc, roles.id)
    from member_roles join roles on roles.id = member_roles.role_id
    where member_roles.house_id = ${houseId} and member_roles.user_id = ${userId}), '[]')`
}

const columns = ['id', 'house_id', 'name', 'position', 'color', 'allow', 'deny'] as const

/** The roles of a house, highest first. */
export function listRoles(db: Db, houseId: string): Promise<RoleRow[]> {
  return listRolesOfHouses(db, [houseId])
}

/** The roles of several houses, highest first. */
export function listRolesOfHouses(db: Db, houseIds: readonly string[]): Promise<RoleRow[]> {
  return db
    .selectFrom('roles')
    .select(columns)
    .where('house_id', '=', sql<string>`any(${houseIds}::bigint[])`)
    .orderBy('position', 'desc')
    .orderBy('id')
    .execute()
}

/** A role of a house, or undefined. */
export function findRole(db: Db, houseId: string, id: string): Promise<RoleRow | undefined> {
  return db
    .selectFrom('roles')
    .select(columns)
    .where('house_id', '=', houseId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The number of roles of a house. */
export async function countRoles(db: Db, houseId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from roles where house_id = ${houseId}`.execute(db)
  return rows[0]!.count
}

export async function insertRole(db: Db, row: RoleRow): Promise<void> {
  await db.insertInto('roles').values(row).execute()
}

export async function updateRole(db: Db, { id, name, position, color, allow, deny }: RoleRow): Promise<void> {
  await db.updateTable('roles').set({ name, position, color, allow, deny }).where('id', '=', id).execute()
}

/** Deletes a role; the foreign key removes it from members. */
export async function deleteRole(db: Db, id: string): Promise<void> {
  await db.deleteFrom('roles').where('id', '=', id).execute()
}
