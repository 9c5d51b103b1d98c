import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'
import { presenceOf, usersElsewhere } from '../events/presence.ts'
import { findHouseContents, type HouseContents } from '../houses/contents-queries.ts'
import { gatewayHouse } from '../houses/forms.ts'
import type { HouseFacts } from '../houses/permissions.ts'
import { member } from '../members/forms.ts'
import { listLongestMembersAmong, listLongestMembersOfHouses } from '../members/gateway-queries.ts'
import { findMember, type MemberRow } from '../members/queries.ts'
import { type Payload, payload } from './frames.ts'
import type { Gateway } from './gateway.ts'
import { HouseParts, HousePayload } from './house-payload.ts'
import type { Hub } from './hub.ts'
import { maxEventBytes, maxListedMembers } from './settings.ts'

/** A house as one member is shown it. */
type HouseOf = { houseId: string; roomIds: string[]; event: Payload }

/** The longest-standing members of a house, one more than are ever listed. Coalesced. */
const listMembersOnce = coalesce<string, MemberRow[]>(async (db: Db, houseIds) => {
  const rows = await listLongestMembersOfHouses(db, [...new Set(houseIds)], maxListedMembers + 1)
  const byHouse = Map.groupBy(rows, (row) => row.house_id)
  return houseIds.map((id) => byHouse.get(id) ?? [])
})

/** The longest-standing of those who may be online in a house. Coalesced: many log in at once after a restart. */
const listOnlineOnce = coalesce<{ hub: Hub; houseId: string }, MemberRow[]>(async (db: Db, asked) => {
  const reads = new Map<Hub, Map<string, Promise<MemberRow[]>>>()
  for (const { hub, houseId } of asked) {
    const ofHub = reads.get(hub) ?? new Map<string, Promise<MemberRow[]>>()
    reads.set(hub, ofHub)
    if (ofHub.has(houseId)) continue
    ofHub.set(houseId, listLongestMembersAmong(db, houseId, onlineIn(hub, houseId), maxListedMembers))
  }
  return Promise.all(asked.map(({ hub, houseId }) => reads.get(hub)!.get(houseId)!))
})

/** The facts that determine the permissions of a member with these roles. */
export function factsOf(contents: HouseContents, userId: string, roleIds: readonly string[]): HouseFacts {
  return {
    user_id: userId,
    owner_id: contents.house.owner_id,
    default_permissions: contents.house.default_permissions,
    roles: contents.roles.filter((role) => roleIds.includes(role.id)),
  }
}

/** The facts that determine the permissions of a member. */
function factsOfMember(contents: HouseContents, { user_id, roles }: MemberRow): HouseFacts {
  const { owner_id, default_permissions } = contents.house
  return { user_id, owner_id, default_permissions, roles }
}

/** The house for a user who joins it now. Undefined if the house is gone, or the user is no longer in it. */
export async function loadHouseFor(
  gateway: Pick<Gateway, 'db' | 'hub'>,
  houseId: string,
  userId: string,
): Promise<HouseOf | undefined> {
  const { db } = gateway
  const [contents, own] = await Promise.all([
    findHouseContents(db, houseId),
    findMember(db, { house_id: houseId, user_id: userId }),
  ])
  if (!contents || !own) return undefined
  const members = await listMembersToShow(gateway, contents)
  return joinOf(contents, own, members)
}

/** HOUSE_JOIN for a member, who is among the members shown even if they left while those were being read. */
export function joinOf(contents: HouseContents, own: MemberRow, members: readonly MemberRow[]): HouseOf {
  const isListed = members.some((row) => row.user_id === own.user_id)
  const ordered = inOrder(contents.house.owner_id, isListed ? members : [own, ...members])
  return houseOf('HOUSE_JOIN', contents, factsOfMember(contents, own), ordered)
}

/** The event that shows a house to one member: the rooms that they can read, and as many members as fit. */
export function houseOf(
  name: HousePayload['name'],
  contents: HouseContents,
  facts: HouseFacts,
  members: readonly MemberRow[],
  parts = new HouseParts(),
): HouseOf {
  const house = gatewayHouse(contents, facts)
  const head = parts.head(JSON.stringify(house))
  const left = maxEventBytes - Buffer.byteLength(head)
  const listed = parts.membersWithin(left, ownFirst(facts.user_id, members))
  return {
    houseId: contents.house.id,
    roomIds: house.rooms.map((room) => room.id),
    event: new HousePayload(name, head, listed),
  }
}

/** All who may be online in a house: its members who are connected here, and everybody connected to other processes. */
function onlineIn(hub: Hub, houseId: string): string[] {
  const here = hub.inHouse(houseId).map((session) => session.userId)
  return [...new Set([...here.filter((id) => presenceOf(id) === 'online'), ...usersElsewhere()])]
}

/**
 * All members of a small house; of a big one the owner, then those online and then the longest-standing, as many as can
 * be shown.
 */
export async function listMembersToShow(
  { db, hub }: Pick<Gateway, 'db' | 'hub'>,
  { house }: HouseContents,
): Promise<MemberRow[]> {
  const longest = await listMembersOnce(db, house.id)
  if (longest.length <= maxListedMembers) return longest
  const [owner, online] = await Promise.all([
    findMember(db, { house_id: house.id, user_id: house.owner_id }),
    listOnlineOnce(db, { hub, houseId: house.id }),
  ])
  const first = owner ? [owner, ...online] : online
  return [...new Map([...first, ...longest].map((row) => [row.user_id, row])).values()]
}

/** The owner, then those online, then the rest in order of joining. */
export function inOrder(ownerId: string, members: readonly MemberRow[]): MemberRow[] {
  const place = (row: MemberRow) => {
    if (row.user_id === ownerId) return 0
    return presenceOf(row.user_id) === 'online' ? 1 : 2
  }
  return members
    .map((row) => ({ row, place: place(row) }))
    .sort((a, b) => a.place - b.place || a.row.joined_at.getTime() - b.row.joined_at.getTime())
    .map(({ row }) => row)
}

/** The receiver first, then the others in order: existing clients look their own member up. */
function ownFirst(userId: string, ordered: readonly MemberRow[]): MemberRow[] {
  const own = ordered.filter((row) => row.user_id === userId)
  const others = ordered.filter((row) => row.user_id !== userId)
  return [...own, ...others].slice(0, maxListedMembers)
}

/** An event that shows a member of a house. */
export function memberEvent(
  name: 'HOUSE_MEMBER_JOIN' | 'HOUSE_MEMBER_UPDATE' | 'HOUSE_MEMBER_ENTER',
  row: MemberRow,
) {
  return payload(name, member(row))
}
