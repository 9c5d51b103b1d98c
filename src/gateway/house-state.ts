import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'
import { presenceOf, usersElsewhere } from '../events/presence.ts'
import { findHouseContents, type HouseContents } from '../houses/contents-queries.ts'
import { gatewayHouse } from '../houses/forms.ts'
import type { HouseFacts } from '../houses/permissions.ts'
import { member } from '../members/forms.ts'
import { listLongestMembersAmong, listLongestMembersOfHouses } from '../members/gateway-queries.ts'
import { findMember, type MemberRow } from '../members/queries.ts'
import { readableRooms } from '../rooms/permissions.ts'
import { type Payload, payload } from './frames.ts'
import type { Gateway } from './gateway.ts'
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

/** The ids of the rooms that a member can read. */
export function readableIds(contents: HouseContents, facts: HouseFacts): string[] {
  return readableRooms(facts, contents.rooms).map((room) => room.id)
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

/** What the events to several members of a house have in common: it is made and kept once for all of them. */
export class Shared {
  readonly #heads = new Map<string, string>()
  readonly #members = new Map<string, { json: string; bytes: number }>()

  head(json: string): string {
    const known = this.#heads.get(json)
    if (known === undefined) this.#heads.set(json, json)
    return known ?? json
  }

  member(row: MemberRow): { json: string; bytes: number } {
    const known = this.#members.get(row.user_id)
    if (known) return known
    const json = JSON.stringify(member(row))
    const made = { json, bytes: Buffer.byteLength(json) }
    this.#members.set(row.user_id, made)
    return made
  }
}

/** What a part takes that is kept elsewhere. */
const referenceBytes = 8

/** A house with members. Its text differs by receiver and is big: only the parts are kept, which they share. */
class HousePayload implements Payload {
  readonly name: 'HOUSE_JOIN' | 'HOUSE_UPDATE'
  readonly length: number
  readonly ownLength: number
  readonly #head: string
  readonly #members: readonly string[]

  constructor(name: 'HOUSE_JOIN' | 'HOUSE_UPDATE', head: string, members: readonly string[]) {
    this.name = name
    this.#head = head
    this.#members = members
    this.ownLength = members.length * referenceBytes
    this.length = members.reduce((sum, json) => sum + json.length + 1, head.length)
  }

  get json(): string {
    return `${this.#head.slice(0, -1)},"members":[${this.#members.join(',')}]}`
  }
}

/** The event that shows a house to one member: the rooms that they can read, and as many members as fit. */
export function houseOf(
  name: 'HOUSE_JOIN' | 'HOUSE_UPDATE',
  contents: HouseContents,
  facts: HouseFacts,
  members: readonly MemberRow[],
  shared = new Shared(),
): HouseOf {
  const { members: _none, ...rest } = gatewayHouse(contents, facts, [])
  const head = shared.head(JSON.stringify(rest))
  const listed = fitMembers(ownFirst(facts.user_id, members), maxEventBytes - Buffer.byteLength(head), shared)
  return {
    houseId: contents.house.id,
    roomIds: rest.rooms.map((room) => room.id),
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
    listLongestMembersAmong(db, house.id, onlineIn(hub, house.id), maxListedMembers),
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

/** The members as JSON, as many as fit into the frame. */
function fitMembers(members: readonly MemberRow[], maxBytes: number, shared: Shared): string[] {
  const listed: string[] = []
  let left = maxBytes
  for (const row of members) {
    const { json, bytes } = shared.member(row)
    left -= bytes + 1
    if (left < 0 && listed.length > 0) break
    listed.push(json)
  }
  return listed
}

/** An event that shows a member of a house. */
export function memberEvent(
  name: 'HOUSE_MEMBER_JOIN' | 'HOUSE_MEMBER_UPDATE' | 'HOUSE_MEMBER_ENTER',
  row: MemberRow,
) {
  return payload(name, member(row))
}
