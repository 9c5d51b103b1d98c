import { type RawBuilder, sql } from 'kysely'
import { coalesce, coalesceLists, groupByPlace } from '../database/batching/coalesce.ts'
import { prepareRead } from '../database/batching/reads.ts'
import type { Db } from '../database/client.ts'
import { type RoleRow, rolesOfMember } from '../houses/roles/queries.ts'
import { type GatewayUserRow, gatewayUserJson } from '../users/queries.ts'
import { withHeads } from './head-queries.ts'

export type OverrideRow = { id: string; type: number; allow: number; deny: number }

/** A room with the participants of a private one, by time of entering ([] in a house room). */
export type RoomRow = {
  id: string
  type: number
  house_id: string | null
  owner_id: string | null
  name: string | null
  description: string | null
  emoji: string | null
  position: number | null
  last_message_id: string | null
  permission_overrides: Record<string, OverrideRow> | null
  default_allow: number
  default_deny: number
  participants: GatewayUserRow[]
}

/** The columns of a `RoomRow` except its participants and what `withHeads` adds. */
export const roomColumns = sql`
  rooms.id, rooms.type, rooms.house_id, rooms.owner_id, rooms.name, rooms.description, rooms.emoji, rooms.position,
  rooms.permission_overrides, rooms.default_allow, rooms.default_deny`

/** The statement for rooms with their participants; `where` selects them. */
function selectRooms(where: RawBuilder<unknown>) {
  return sql<Omit<RoomRow, 'last_message_id'>>`
    select ${roomColumns}, case when rooms.type = 0 then '[]'::json else coalesce((
        select json_agg(${gatewayUserJson} order by joined_at, user_id)
        from room_recipients join users on users.id = user_id where room_id = rooms.id), '[]') end as participants
    from rooms ${where}`
}

/** A room by id, or undefined. */
export async function findRoom(db: Db, id: string): Promise<RoomRow | undefined> {
  const { rows } = await selectRooms(sql`where rooms.id = ${id}`).execute(db)
  return (await withHeads(db, rows))[0]
}

/** The rooms of a house, by position, then id. */
export function listHouseRooms(db: Db, houseId: string): Promise<RoomRow[]> {
  return listRoomsOfHouses(db, [houseId])
}

/** The rooms of several houses, by position, then id. */
export async function listRoomsOfHouses(db: Db, houseIds: readonly string[]): Promise<RoomRow[]> {
  const where = sql`where rooms.house_id = any(${houseIds}::bigint[]) order by position, id`
  const { rows } = await selectRooms(where).execute(db)
  return withHeads(db, rows)
}

/**
 * A query `locked_room` for a `with`: the room, locked until the transaction ends, if it exists and the user is not
 * leaving its house concurrently. Leaving deletes the user's rows in the rooms, so none may be added afterwards.
 */
export function lockRoomOfMember(userId: string, roomId: string): RawBuilder<unknown> {
  return sql`
    room as materialized (
      select id, house_id from rooms where id = ${roomId} for key share
    ), staying as materialized (
      select user_id from members where house_id = (select house_id from room) and user_id = ${userId}
      for key share skip locked
    ), locked_room as materialized (
      select id from room where house_id is null or exists (select 1 from staying)
    )`
}

/** The rows that determine what a user may do in a room, for `rooms/permissions.ts`. */
export type RoomAccessRow = {
  room_id: string
  type: number
  /** The owner of a group, or null. */
  group_owner_id: string | null
  default_allow: number
  default_deny: number
  permission_overrides: Record<string, OverrideRow> | null
  user_id: string
  /** Member of the house, or participant of the private room. */
  is_inside: boolean
  house_id: string | null
  house_owner_id: string | null
  default_permissions: number | null
  /** Highest first; none in a private room. */
  roles: RoleRow[]
  /** One-to-one: one user blocks the other, else the other account is deleted; null if neither applies. */
  cut_off_by: 'block' | 'deletion' | null
}

/** The columns of a `RoomAccessRow`, over `roomAccessJoins`. */
export const roomAccessColumns = sql`
  rooms.id as room_id, rooms.type, rooms.owner_id as group_owner_id, rooms.default_allow, rooms.default_deny,
  rooms.permission_overrides, wanted.user_id,
  (members.user_id is not null or room_recipients.user_id is not null) as is_inside,
  rooms.house_id, houses.owner_id as house_owner_id, houses.default_permissions,
  case when members.user_id is null then '[]'
    else ${rolesOfMember(sql`rooms.house_id`, sql`wanted.user_id`)} end as roles,
  case when rooms.type = 1 and room_recipients.user_id is not null then (
    select case
      when exists (select from blocks where type = 5 and user_id = wanted.user_id and target_id = other.user_id)
        or exists (select from blocks where type = 5 and user_id = other.user_id and target_id = wanted.user_id)
        then 'block'
      when users.deleted_at is not null then 'deletion' end
    from room_recipients as other join users on users.id = other.user_id
    where other.room_id = rooms.id and other.user_id <> wanted.user_id
  ) end as cut_off_by`

/** Joins to `wanted` (room_id, user_id) the room and the user's membership; all null if there is no such room. */
export const roomAccessJoins = sql`
  left join rooms on rooms.id = wanted.room_id
  left join houses on houses.id = rooms.house_id
  left join members on members.house_id = rooms.house_id and members.user_id = wanted.user_id
  left join room_recipients on room_recipients.room_id = rooms.id and room_recipients.user_id = wanted.user_id`

/**
 * The statement for the access of users to rooms; `wanted` has the columns room_id, user_id, and those of `more`.
 */
export function selectRoomAccess<More = unknown>(wanted: RawBuilder<unknown>, more?: RawBuilder<unknown>) {
  return sql<RoomAccessRow & More>`
    select ${roomAccessColumns} ${more ? sql`, ${more}` : sql``}
    from ${wanted} ${roomAccessJoins} where rooms.id is not null`
}

/** What of a room determines who may read it, beside the memberships. */
type RoomRightsRow = Pick<
  RoomRow,
  'id' | 'house_id' | 'permission_overrides' | 'default_allow' | 'default_deny'
>

const readRoomRights = prepareRead(({ ids }: { ids: readonly string[] }) => {
  return sql<RoomRightsRow>`
    select id, house_id, permission_overrides, default_allow, default_deny
    from rooms where id = any(${ids}::bigint[])`
})

/** The rights of rooms by id. */
export const findRoomRights = coalesceLists(async (db: Db, ids) => {
  return new Map((await readRoomRights(db, { ids })).map((row) => [row.id, row]))
})

const readRoomAccess = prepareRead(({ rooms, users }: { rooms: string[]; users: string[] }) => {
  const wanted = sql`unnest(${rooms}::bigint[], ${users}::bigint[]) with ordinality as wanted (room_id, user_id, place)`
  return selectRoomAccess<{ place: string }>(wanted, sql`wanted.place`)
})

/** The access of a user to a room, or undefined if there is no such room. */
export const findRoomAccess = coalesce<{ room_id: string; user_id: string }, RoomAccessRow | undefined>(
  async (db: Db, keys) => {
    const rooms = keys.map((key) => key.room_id)
    const users = keys.map((key) => key.user_id)
    return groupByPlace(keys.length, await readRoomAccess(db, { rooms, users }))
  },
)

/** The ids of rooms of a user's houses, and of their private rooms, `limit` at most, in no order. */
export async function listJoinedRoomIds(db: Db, userId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select room_id as id from room_recipients where user_id = ${userId}
      union all
      select rooms.id from members join rooms on rooms.house_id = members.house_id where members.user_id = ${userId}
    ) as joined limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}
