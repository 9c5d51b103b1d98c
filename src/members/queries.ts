import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { coalesce, inPlaces } from '../db/coalesce.ts'
import type { Membership } from '../houses/queries.ts'
import { type RoleRow, rolesOfMember } from '../roles/queries.ts'
import { type GatewayUserRow, gatewayUserJson } from '../users/queries.ts'

/** A member with their user and their roles, highest first. */
export type MemberRow = {
  house_id: string
  user_id: string
  joined_at: Date
  last_permission_update: Date | null
  roles: RoleRow[]
  user: GatewayUserRow
}

/** The columns of a `MemberRow`, over `members` joined with `users`. */
export const memberColumns = sql`
  members.house_id, members.user_id, members.joined_at, members.last_permission_update,
  ${rolesOfMember(sql`members.house_id`, sql`members.user_id`)} as roles, ${gatewayUserJson} as "user"`

/** A member of a house, or undefined. */
export const findMember = coalesce<Membership, MemberRow | undefined>(async (db: Db, keys) => {
  const houses = keys.map((key) => key.house_id)
  const users = keys.map((key) => key.user_id)
  const { rows } = await sql<MemberRow & { place: string }>`
      select wanted.place, ${memberColumns}
      from unnest(${houses}::bigint[], ${users}::bigint[]) with ordinality as wanted (house_id, user_id, place)
      join members on members.house_id = wanted.house_id and members.user_id = wanted.user_id
      join users on users.id = members.user_id`.execute(db)
  return inPlaces(keys.length, rows)
})

/** Those of these users who are members of a house, in no order. */
export async function listMembersById(
  db: Db,
  houseId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${memberColumns} from members join users on users.id = members.user_id
    where members.house_id = ${houseId} and members.user_id = any(${userIds}::bigint[])`.execute(db)
  return rows
}

/** The members of a house whose user id is greater than `after`, by user id. */
export async function listMembers(
  db: Db,
  houseId: string,
  { after, limit }: { after: string; limit: number },
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${memberColumns} from members join users on users.id = members.user_id
    where members.house_id = ${houseId} and members.user_id > ${after}
    order by members.user_id limit ${limit}`.execute(db)
  return rows
}

/** In how many houses a user is. */
export async function countMemberships(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from members where user_id = ${userId}`.execute(db)
  return rows[0]!.count
}

/** Makes a user a member, as of now, whenever the transaction began. */
export async function insertMember(db: Db, houseId: string, userId: string): Promise<void> {
  await sql`
    insert into members (house_id, user_id, joined_at)
    values (${houseId}, ${userId}, clock_timestamp())`.execute(db)
}

/** Takes a member out of a house, their roles with them. */
export async function deleteMember(db: Db, houseId: string, userId: string): Promise<void> {
  await db.deleteFrom('members').where('house_id', '=', houseId).where('user_id', '=', userId).execute()
}
