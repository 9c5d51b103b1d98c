import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

export type RoleRow = {
  id: string
  house_id: string
  name: string
  position: number
  color: string
  allow: number
  deny: number
}

/** The roles of a house, highest first. */
export function listRoles(db: Db, houseId: string): Promise<RoleRow[]> {
  return listRolesOfHouses(db, [houseId])
}

/** The roles of several houses, highest first. */
export function listRolesOfHouses(db: Db, houseIds: readonly string[]): Promise<RoleRow[]> {
  return db
    .selectFrom('roles')
    .select(['id', 'house_id', 'name', 'position', 'color', 'allow', 'deny'])
    .where('house_id', '=', sql<string>`any(${houseIds}::bigint[])`)
    .orderBy('position', 'desc')
    .orderBy('id')
    .execute()
}
