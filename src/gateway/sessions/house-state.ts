import { coalesce } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'
import { type Presence, presenceOf } from '../../events/presence.ts'
import { findHouseContents, type HouseContents } from '../../houses/contents-queries.ts'
import {
  listLongestMembersOfHouses,
  listLongestMembersOnline,
  listRoleIds,
} from '../../houses/members/gateway-queries.ts'
import { findMember, type MemberRow } from '../../houses/members/queries.ts'
import { serializeMember } from '../../houses/members/serializers.ts'
import type { HouseContext } from '../../houses/permissions.ts'
import { serializeGatewayHouse } from '../../houses/serializers.ts'
import { maxEventBytes, maxListedMembers } from '../settings.ts'
import { type Payload, payload, textsWithin } from '../transport/frames.ts'

/** An event that shows a house to one member, with the rooms in it. */
type HouseEvent = { event: Payload; roomIds: ReadonlySet<string> }

/** One member more than are ever listed. Coalesced. */
const listLongestMembers = coalesce<string, MemberRow[]>(async (db: Db, houseIds) => {
  const rows = await listLongestMembersOfHouses(db, [...new Set(houseIds)], maxListedMembers + 1)
  const byHouse = Map.groupBy(rows, (row) => row.house_id)
  return houseIds.map((id) => byHouse.get(id) ?? [])
})

/** Coalesced: many log in at once after a restart. */
const listMembersOnline = coalesce<string, MemberRow[]>(async (db: Db, houseIds) => {
  const reads = new Map(
    [...new Set(houseIds)].map((id) => [id, listLongestMembersOnline(db, id, maxListedMembers)]),
  )
  return Promise.all(houseIds.map((id) => reads.get(id)!))
})

/** A house, with what determines the permissions of those of these users who are members. */
export async function readHouseFor(
  db: Db,
  houseId: string,
  userIds: readonly string[],
): Promise<{ contents: HouseContents; contextOf(userId: string): HouseContext | undefined } | undefined> {
  const [contents, roleIdsOf] = await Promise.all([
    findHouseContents(db, houseId),
    listRoleIds(db, houseId, userIds),
  ])
  if (!contents) return undefined
  return {
    contents,
    contextOf(userId) {
      const roleIds = roleIdsOf.get(userId)
      if (!roleIds) return undefined
      return houseContext(contents, {
        user_id: userId,
        roles: contents.roles.filter(({ id }) => roleIds.includes(id)),
      })
    },
  }
}

function houseContext(
  { house }: HouseContents,
  member: Pick<HouseContext, 'user_id' | 'roles'>,
): HouseContext {
  const { owner_id, default_permissions } = house
  return { user_id: member.user_id, roles: member.roles, owner_id, default_permissions }
}

/** HOUSE_JOIN for a user who joins now. Undefined if the house is gone, or the user is no longer a member. */
export async function loadHouseJoin(
  db: Db,
  house_id: string,
  user_id: string,
): Promise<HouseEvent | undefined> {
  const [contents, own] = await Promise.all([
    findHouseContents(db, house_id),
    findMember(db, { house_id, user_id }),
  ])
  return contents && own && houseJoin(contents, own, await listShownMembers(db, contents))
}

/** HOUSE_JOIN for a member, who is among those shown even if they left while these were read. */
export function houseJoin(
  contents: HouseContents,
  own: MemberRow,
  members: readonly MemberRow[],
): HouseEvent {
  const shown = members.find((row) => row.user_id === own.user_id)
  const ordered = inOrder(contents.house.owner_id, shown ? members : [own, ...members])
  return houseEvent('HOUSE_JOIN', contents, houseContext(contents, shown ?? own), ordered)
}

/** Shows a house to one member: the rooms that they can read, and as many of these members as fit, oneself first. */
export function houseEvent(
  name: 'HOUSE_JOIN' | 'HOUSE_UPDATE',
  contents: HouseContents,
  context: HouseContext,
  members: readonly MemberRow[],
): HouseEvent {
  const house = serializeGatewayHouse(contents, context)
  const head = JSON.stringify(house)
  const own = members.filter((row) => row.user_id === context.user_id)
  const others = members.filter((row) => row.user_id !== context.user_id)
  const listed = [...own, ...others].slice(0, maxListedMembers)
  const texts = textsWithin(maxEventBytes - Buffer.byteLength(head), listed, memberJson)
  return {
    event: { name, json: `${head.slice(0, -1)},"members":[${texts.join()}]}` },
    roomIds: new Set(house.rooms.map((room) => room.id)),
  }
}

/**
 * The JSON of a row, with the presence that it shows: those who log in at the same moment are sent the same rows. As
 * keys of a weak map, so many rows would take megabytes.
 */
const jsonOfRow = Symbol('json')

function memberJson(row: MemberRow & { [jsonOfRow]?: { json: string; presence: Presence } }): string {
  const presence = presenceOf(row.user_id)
  if (row[jsonOfRow]?.presence !== presence)
    row[jsonOfRow] = { json: JSON.stringify(serializeMember(row)), presence }
  return row[jsonOfRow].json
}

/** All members of a small house; of a big one the owner, those online, and those who joined first, up to the limit. */
export async function listShownMembers(db: Db, { house }: HouseContents): Promise<MemberRow[]> {
  const longest = await listLongestMembers(db, house.id)
  if (longest.length <= maxListedMembers) return longest
  const [owner, online] = await Promise.all([
    findMember(db, { house_id: house.id, user_id: house.owner_id }),
    listMembersOnline(db, house.id),
  ])
  const first = owner ? [owner, ...online] : online
  return [...new Map([...first, ...longest].map((row) => [row.user_id, row])).values()]
}

/** The owner, then those online, then the rest in order of joining. */
export function inOrder(ownerId: string, members: readonly MemberRow[]): MemberRow[] {
  const rank = (row: MemberRow) => {
    if (row.user_id === ownerId) return 0
    return presenceOf(row.user_id) === 'online' ? 1 : 2
  }
  return members
    .map((row) => ({ row, rank: rank(row) }))
    .sort((a, b) => a.rank - b.rank || a.row.joined_at.getTime() - b.row.joined_at.getTime())
    .map(({ row }) => row)
}

export function memberEvent(
  name: 'HOUSE_MEMBER_JOIN' | 'HOUSE_MEMBER_UPDATE' | 'HOUSE_MEMBER_ENTER',
  row: MemberRow,
): Payload {
  return payload(name, serializeMember(row))
}

/** HOUSE_MEMBER_ENTER or HOUSE_MEMBER_EXIT. */
export function memberPresence(row: MemberRow, presence: Presence): Payload {
  if (presence === 'online') return memberEvent('HOUSE_MEMBER_ENTER', row)
  return payload('HOUSE_MEMBER_EXIT', { id: row.user_id, house_id: row.house_id })
}
