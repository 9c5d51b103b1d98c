import { sql } from 'kysely'
import { coalesce, groupByPlace } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'
import { type GatewayUserRow, gatewayUserJson } from '../../users/queries.ts'
import type { Membership } from '../queries.ts'
import { type RoleRow, rolesOfMember } from '../roles/queries.ts'

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
const memberColumns = sql`
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
  return groupByPlace(keys.length, rows)
})

/** The bots in a house that a user owns or has added, oldest first. */
export async function listBotsOf(
  db: Db,
  houseId: string,
  userId: string,
): Promise<{ id: string; is_own: boolean }[]> {
  const { rows } = await sql<{ id: string; is_own: boolean }>`
    select users.id, users.owner_id is not distinct from ${userId}::bigint as is_own from users join members on members.user_id = users.id and members.house_id = ${houseId}
    where users.owner_id = ${userId} or members.added_by = ${userId} order by users.id`.execute(db)
  return rows
}

/** The bots of a house whose adders have been members ever since, with these adders. */
export async function listInstalledBots(
  db: Db,
  houseId: string,
): Promise<{ id: string; added_by: string }[]> {
  const { rows } = await sql<{ id: string; added_by: string }>`
    select bots.user_id as id, bots.added_by from members as bots
    join members as adders on adders.house_id = bots.house_id and adders.user_id = bots.added_by
    where bots.house_id = ${houseId} and bots.added_by is not null and adders.joined_at <= bots.joined_at
    order by bots.user_id`.execute(db)
  return rows
}

/** Lets somebody else stand for the bots of a house that a user has added. */
export async function replaceAdder(db: Db, houseId: string, before: string, after: string): Promise<void> {
  const ofHouse = db.updateTable('members').where('house_id', '=', houseId)
  await ofHouse.where('added_by', '=', before).set({ added_by: after }).execute()
}

/** The owners of those of these users that are bots, by the id of the bot. */
export async function listBotOwners(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; owner_id: string }>`
    select id, owner_id from users where id = any(${ids}::bigint[]) and owner_id is not null`.execute(db)
  return new Map(rows.map((row) => [row.id, row.owner_id]))
}

/** The number of houses of a user. */
export async function countMemberships(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from members where user_id = ${userId}`.execute(db)
  return rows[0]!.count
}

/** Inserts a member with the present time, not that of the transaction. `added_by`: who adds a bot. */
export async function insertMember(
  db: Db,
  { house_id, user_id, added_by = null }: Membership & { added_by?: string | null | undefined },
): Promise<void> {
  await sql`
    insert into members (house_id, user_id, joined_at, added_by)
    values (${house_id}, ${user_id}, clock_timestamp(), ${added_by})`.execute(db)
}

/** The ids of members of a house, `limit` at most, in no order. */
export async function listMemberIds(db: Db, houseId: string, limit: number): Promise<string[]> {
  const ofHouse = db.selectFrom('members').select('user_id').where('house_id', '=', houseId)
  const rows = await ofHouse.limit(limit).execute()
  return rows.map((row) => row.user_id)
}

/** Deletes a member with their roles. */
export async function deleteMember(db: Db, houseId: string, userId: string): Promise<void> {
  await db.deleteFrom('members').where('house_id', '=', houseId).where('user_id', '=', userId).execute()
}
