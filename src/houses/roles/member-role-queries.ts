import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** Gives a role to a member. Returns whether they lacked it. */
export async function insertMemberRole(
  db: Db,
  houseId: string,
  userId: string,
  roleId: string,
): Promise<boolean> {
  const result = await db
    .insertInto('member_roles')
    .values({ house_id: houseId, user_id: userId, role_id: roleId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Removes a role from a member. Returns whether they had it. */
export async function deleteMemberRole(
  db: Db,
  houseId: string,
  userId: string,
  roleId: string,
): Promise<boolean> {
  const result = await db
    .deleteFrom('member_roles')
    .where('house_id', '=', houseId)
    .where('user_id', '=', userId)
    .where('role_id', '=', roleId)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Sets the time of the last change of a member's roles to now. */
export async function touchMemberPermissions(db: Db, houseId: string, userId: string): Promise<void> {
  await db
    .updateTable('members')
    .set({ last_permission_update: sql<Date>`clock_timestamp()` })
    .where('house_id', '=', houseId)
    .where('user_id', '=', userId)
    .execute()
}

/** Sets the time of the last change of roles to now, for all members who have a role. */
export async function touchPermissionsOfRole(db: Db, houseId: string, roleId: string): Promise<void> {
  await sql`
    update members set last_permission_update = clock_timestamp()
    from member_roles where role_id = ${roleId}
      and members.house_id = ${houseId} and members.user_id = member_roles.user_id`.execute(db)
}
