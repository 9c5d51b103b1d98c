import { sql } from 'kysely'
import { coalesce } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'
import type { MemberRow } from './queries.ts'
import { attachRoles, type MemberWithRoleIds, memberWithRoleIdsColumns } from './role-queries.ts'

/** The `limit` longest-standing members of each of these houses, in order of joining. */
export async function listLongestMembersOfHouses(
  db: Db,
  houseIds: readonly string[],
  limit: number,
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberWithRoleIds>`
    select ${memberWithRoleIdsColumns}
    from unnest(${houseIds}::bigint[]) as wanted (house_id)
    cross join lateral (
      select * from members where house_id = wanted.house_id order by joined_at, user_id limit ${limit}
    ) as members
    join users on users.id = members.user_id
    order by members.joined_at, members.user_id`.execute(db)
  return attachRoles(db, rows)
}

/** The `limit` longest-standing members of a house who are online, in order of joining. */
export async function listLongestMembersOnline(db: Db, houseId: string, limit: number): Promise<MemberRow[]> {
  const { rows } = await sql<MemberWithRoleIds>`
    select ${memberWithRoleIdsColumns}
    from (
      select * from members where house_id = ${houseId} and user_id in (select user_id from presences)
      order by joined_at, user_id limit ${limit}
    ) as members
    join users on users.id = members.user_id
    order by members.joined_at, members.user_id`.execute(db)
  return attachRoles(db, rows)
}

/** The members of a house among these users, in no order. */
export async function listMembersById(
  db: Db,
  houseId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberWithRoleIds>`
    select ${memberWithRoleIdsColumns} from members join users on users.id = members.user_id
    where members.house_id = ${houseId} and members.user_id = any(${userIds}::bigint[])`.execute(db)
  return attachRoles(db, rows)
}

/** The memberships of a user, in order of joining, with the number of rooms of each house. */
export async function listMembershipsOf(
  db: Db,
  userId: string,
): Promise<(MemberRow & { room_count: number })[]> {
  const { rows } = await sql<MemberWithRoleIds & { room_count: number }>`
    select ${memberWithRoleIdsColumns}, (
        select count(*)::integer from rooms where rooms.house_id = members.house_id
      ) as room_count
    from members join users on users.id = members.user_id
    where members.user_id = ${userId} order by members.joined_at, members.house_id`.execute(db)
  return attachRoles(db, rows)
}

/** The role ids of the members of a house among these users, by user id. */
export async function listRoleIds(
  db: Db,
  houseId: string,
  userIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ user_id: string; role_ids: string[] }>`
    select user_id, array(select role_id::text from member_roles
      where member_roles.house_id = members.house_id and member_roles.user_id = members.user_id) as role_ids
    from members where house_id = ${houseId} and user_id = any(${userIds}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.user_id, row.role_ids]))
}

/** The number of members of these houses together, counted up to a limit. */
export async function countMembers(db: Db, houseIds: readonly string[], limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from members where house_id = any(${houseIds}::bigint[]) limit ${limit}
    ) as counted`.execute(db)
  return rows[0]!.count
}

/** Larger houses have no HOUSE_MEMBER_ENTER and HOUSE_MEMBER_EXIT (docs/gateway.md#presence). */
const maxMembersForPresence = 1_000

/** The houses of each of these users that have presence events. */
export async function listHousesWithPresenceOfEach(db: Db, userIds: readonly string[]): Promise<string[][]> {
  const { rows } = await sql<{ user_id: string; house_id: string }>`
    with own as materialized (
      select user_id, house_id from members where user_id = any(${userIds}::bigint[])
    ), small as (
      select house_id from (select distinct house_id from own) as houses
      where (
        select count(*) from (
          select from members where members.house_id = houses.house_id limit ${maxMembersForPresence + 1}
        ) as counted
      ) <= ${maxMembersForPresence}
    )
    select user_id, house_id from own join small using (house_id)`.execute(db)
  const byUser = Map.groupBy(rows, (row) => row.user_id)
  return userIds.map((id) => byUser.get(id)?.map((row) => row.house_id) ?? [])
}

/** The houses of a user that have presence events. Coalesced. */
export const listHousesWithPresence = coalesce(listHousesWithPresenceOfEach)
