import { sql } from 'kysely'
import { coalesce, groupByPlace, orderByKeys } from '../database/batching/coalesce.ts'
import { prepareRead } from '../database/batching/reads.ts'
import type { Db } from '../database/client.ts'
import { type RoleRow, rolesOfMember } from './roles/queries.ts'

/** The key of a member: a house and a user, who may or may not be in it. */
export type Membership = { house_id: string; user_id: string }

/** The rows that determine the permissions of a member: a `HouseContext` (`houses/permissions.ts`). */
export type MembershipRow = {
  house_id: string
  user_id: string
  owner_id: string
  default_permissions: number
  /** Highest first. */
  roles: RoleRow[]
}

/** The membership of a user in a house, or undefined. */
export const findMembership = coalesce<Membership, MembershipRow | undefined>(async (db: Db, keys) => {
  const houses = keys.map((key) => key.house_id)
  const users = keys.map((key) => key.user_id)
  return groupByPlace(keys.length, await readMemberships(db, { houses, users }))
})

const readMemberships = prepareRead(
  ({ houses, users }: { houses: string[]; users: string[] }) => sql<MembershipRow & { place: string }>`
      select wanted.place, houses.id as house_id, members.user_id, houses.owner_id, houses.default_permissions,
        ${rolesOfMember(sql`houses.id`, sql`members.user_id`)} as roles
      from unnest(${houses}::bigint[], ${users}::bigint[]) with ordinality as wanted (house_id, user_id, place)
      join houses on houses.id = wanted.house_id
      join members on members.house_id = houses.id and members.user_id = wanted.user_id`,
)

export type HouseRow = {
  id: string
  name: string
  description: string | null
  icon: string | null
  owner_id: string
  type: number
  default_permissions: number
}
export type HouseSummaryRow = HouseRow & { member_count: number }

const houseColumns = ['id', 'name', 'description', 'icon', 'owner_id', 'type', 'default_permissions'] as const

const memberCount = sql`(select count(*)::integer from members where members.house_id = houses.id)`

const summaryColumns = sql`
  houses.id, houses.name, houses.description, houses.icon, houses.owner_id, houses.type, houses.default_permissions,
  ${memberCount} as member_count`

/** A house with the number of its members, or undefined. */
export const findHouseSummary = coalesce<string, HouseSummaryRow | undefined>(async (db: Db, ids) => {
  const { rows } = await sql<HouseSummaryRow>`
    select ${summaryColumns} from houses where id = any(${ids}::bigint[])`.execute(db)
  return orderByKeys(ids, rows, (row) => row.id)
})

/** The houses of a user, in order of joining. */
export async function listHouseSummaries(db: Db, userId: string): Promise<HouseSummaryRow[]> {
  const { rows } = await sql<HouseSummaryRow>`
    select ${summaryColumns} from members as own join houses on houses.id = own.house_id
    where own.user_id = ${userId} order by own.joined_at, houses.id`.execute(db)
  return rows
}

/** A house by id with the name of its icon, or undefined. */
export const findHouseIcon = coalesce<string, { id: string; icon: string | null } | undefined>(
  async (db: Db, ids) => {
    const rows = await db
      .selectFrom('houses')
      .select(['id', 'icon'])
      .where('id', '=', sql<string>`any(${ids}::bigint[])`)
      .execute()
    return orderByKeys(ids, rows, (row) => row.id)
  },
)

/** The ids of a user's houses, in order of joining. */
export async function listHouseIds(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .select('house_id')
    .where('user_id', '=', userId)
    .orderBy('joined_at')
    .orderBy('house_id')
    .execute()
  return rows.map((row) => row.house_id)
}

/** The houses of a user with the number of their rooms, in no order. */
export async function listHouseSizes(db: Db, userId: string): Promise<{ id: string; room_count: number }[]> {
  const { rows } = await sql<{ id: string; room_count: number }>`
    select house_id as id, (
        select count(*)::integer from rooms where rooms.house_id = members.house_id
      ) as room_count
    from members where user_id = ${userId}`.execute(db)
  return rows
}

/**
 * Locks a house until the transaction ends, which serializes changes of it, its roles, entities, rooms and members.
 * Undefined if there is no such house.
 */
export function lockHouse(db: Db, id: string): Promise<HouseRow | undefined> {
  return db.selectFrom('houses').select(houseColumns).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

export async function insertHouse(
  db: Db,
  house: Pick<HouseRow, 'id' | 'name' | 'description' | 'icon' | 'owner_id' | 'default_permissions'>,
): Promise<void> {
  await db.insertInto('houses').values(house).execute()
}

export async function updateHouse(
  db: Db,
  id: string,
  changes: Partial<Pick<HouseRow, 'name' | 'description' | 'icon' | 'owner_id' | 'default_permissions'>>,
): Promise<void> {
  await db.updateTable('houses').set(changes).where('id', '=', id).execute()
}

/** Deletes a house with its members, roles, bans, invites, entities and rooms. */
export async function deleteHouse(db: Db, id: string): Promise<void> {
  await db.deleteFrom('houses').where('id', '=', id).execute()
}

/** Locks the rooms of a house in id order, as sending does. Returns their ids. */
export async function lockHouseRooms(db: Db, houseId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rooms')
    .select('id')
    .where('house_id', '=', houseId)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => row.id)
}

/**
 * The member to whom a departing owner's house passes, or undefined if there is no other member: people before bots,
 * members with ADMINISTRATOR first, then the longest-standing (docs/gateway.md#houses). Of the roles that allow or deny
 * that bit the highest decides, of equal ones the older, as in `housePermissions`.
 */
export async function findNextOwnerId(db: Db, houseId: string, ownerId: string): Promise<string | undefined> {
  // Begins with the few roles that have the bit, and joins by grouping, so that no plan looks up the roles of each member.
  const { rows } = await sql<{ user_id: string }>`
    with decided as (
      select distinct on (holders.user_id) holders.user_id, roles.allow & 4 as administrator
      from roles
      cross join lateral (select user_id from member_roles where role_id = roles.id offset 0) holders
      where roles.house_id = ${houseId} and (roles.allow | roles.deny) & 4 <> 0
      order by holders.user_id, roles.position desc, roles.id
    ), candidates as (
      select user_id, max(joined_at) as joined_at, max(administrator) as administrator
      from (
        select user_id, joined_at, null::integer as administrator from members where house_id = ${houseId}
        union all select user_id, null, administrator from decided
      ) as known
      where user_id <> ${ownerId}
      group by user_id
    )
    select candidates.user_id
    from candidates
    join users on users.id = candidates.user_id
    join houses on houses.id = ${houseId}
    order by users.bot, coalesce(administrator, houses.default_permissions & 4) desc, joined_at, candidates.user_id
    limit 1`.execute(db)
  return rows[0]?.user_id
}
