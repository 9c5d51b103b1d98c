import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'
import { type MemberRow, memberColumns } from './queries.ts'

/** Of each of these houses the `limit` longest-standing members, in order of joining. */
export async function listLongestMembersOfHouses(
  db: Db,
  houseIds: readonly string[],
  limit: number,
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${memberColumns}
    from unnest(${houseIds}::bigint[]) as wanted (house_id)
    cross join lateral (
      select * from members where house_id = wanted.house_id order by joined_at, user_id limit ${limit}
    ) as members
    join users on users.id = members.user_id
    order by members.joined_at, members.user_id`.execute(db)
  return rows
}

/** Of these users the `limit` longest-standing members of a house, in order of joining. */
export async function listLongestMembersAmong(
  db: Db,
  houseId: string,
  userIds: readonly string[],
  limit: number,
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${memberColumns}
    from (
      select * from members where house_id = ${houseId} and user_id = any(${userIds}::bigint[])
      order by joined_at, user_id limit ${limit}
    ) as members
    join users on users.id = members.user_id
    order by members.joined_at, members.user_id`.execute(db)
  return rows
}

/** The own member in each house of a user, in order of joining. */
export async function listMembershipsOf(db: Db, userId: string): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${memberColumns} from members join users on users.id = members.user_id
    where members.user_id = ${userId} order by members.joined_at, members.house_id`.execute(db)
  return rows
}

/** The role ids of those of these users who are members of a house, by user id. */
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

/** In bigger houses nobody is told who comes and goes (PROTOCOL 8.6). */
const maxMembersForPresence = 1_000

/** The houses of a user in which is told who comes and goes. Coalesced. */
export const listHousesWithPresence = coalesce<string, string[]>(async (db: Db, userIds) => {
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
})
