import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { gatewayUserJson } from '../../users/queries.ts'
import { listRolesOfHouses, type RoleRow } from '../roles/queries.ts'
import type { MemberRow } from './queries.ts'

/** A member with the ids of their roles, in no order. The roles are read separately, as many members share them. */
export type MemberWithRoleIds = Omit<MemberRow, 'roles'> & {
  /** Comma-separated; null for none. */
  role_ids: string | null
}

/** The columns of a `MemberWithRoleIds`, over `members` joined with `users`. */
export const memberWithRoleIdsColumns = sql`
  members.house_id, members.user_id, members.joined_at, members.last_permission_update, ${gatewayUserJson} as "user", (
    select string_agg(role_id::text, ',') from member_roles
    where member_roles.house_id = members.house_id and member_roles.user_id = members.user_id
  ) as role_ids`

/**
 * Adds to members their roles, highest first. The roles of a house are read once, after the members: a role that is
 * missing has been deleted in the meantime, and is omitted.
 */
export async function attachRoles<Row extends MemberWithRoleIds>(
  db: Db,
  rows: readonly Row[],
): Promise<(Omit<Row, 'role_ids'> & { roles: RoleRow[] })[]> {
  const houseIds = new Set(rows.flatMap((row) => (row.role_ids === null ? [] : row.house_id)))
  const roles = houseIds.size > 0 ? await listRolesOfHouses(db, [...houseIds]) : []
  const places = new Map(roles.map((role, place) => [role.id, place]))
  return rows.map(({ role_ids, ...row }) => {
    const found = (role_ids?.split(',') ?? []).flatMap((id) => places.get(id) ?? [])
    return { ...row, roles: found.sort((one, other) => one - other).map((place) => roles[place]!) }
  })
}
