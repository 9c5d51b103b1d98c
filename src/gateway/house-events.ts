import { setImmediate as turnOfOthers } from 'node:timers/promises'
import type { Db } from '../db/client.ts'
import type { EventOf as Of } from '../events/events.ts'
import { findHouseContents } from '../houses/contents-queries.ts'
import { listRoleIds } from '../members/gateway-queries.ts'
import { findMember, listMembersById } from '../members/queries.ts'
import { role } from '../roles/forms.ts'
import { findRole } from '../roles/queries.ts'
import { type Audience, emitTo, usersOf } from './audience.ts'
import { lengthOf, payload } from './frames.ts'
import type { Gateway } from './gateway.ts'
import { HouseParts } from './house-payload.ts'
import { factsOf, houseOf, inOrder, listMembersToShow, loadHouseFor, memberEvent } from './house-state.ts'
import type { MembersPresence, PresenceChange } from './presence-batches.ts'
import { retryUntilBack } from './retry.ts'
import type { Session } from './session.ts'

/** After sending so many characters of a house, other work gets its turn: big houses take long to send. */
const toldAtOnce = 4 * 1024 * 1024

export async function tellHouseUpdated(gateway: Gateway, fact: Of<'house_updated'>, audience: Audience) {
  const { db } = gateway
  const sessions = audience.inHouse(fact.house_id)
  if (sessions.length === 0) return
  const contents = await findHouseContents(db, fact.house_id)
  if (!contents) return
  const userIds = usersOf(sessions)
  const [rolesOf, members] = await Promise.all([
    listRoleIds(db, fact.house_id, userIds),
    listMembersToShow(gateway, contents),
  ])
  const listed = new Set(members.map((row) => row.user_id))
  const unlisted = userIds.filter((id) => rolesOf.has(id) && !listed.has(id))
  const rows = unlisted.length > 0 ? await listMembersById(db, fact.house_id, unlisted) : []
  const own = new Map(rows.map((row) => [row.user_id, row]))
  const ordered = inOrder(contents.house.owner_id, members)
  const parts = new HouseParts()
  let told = 0
  for (const [user_id, ofUser] of Map.groupBy(sessions, (session) => session.userId)) {
    const role_ids = rolesOf.get(user_id)
    const row = own.get(user_id)
    // A member who has left in the meantime is told so next: nobody is sent a house without their own member.
    if (!role_ids || !(row || listed.has(user_id))) continue
    const facts = factsOf(contents, user_id, role_ids)
    const members = row ? [row, ...ordered] : ordered
    const { event, roomIds } = houseOf('HOUSE_UPDATE', contents, facts, members, parts)
    const listedRooms = new Set(roomIds)
    for (const session of ofUser) noteUnsettled(session, fact.house_id, listedRooms)
    emitTo(ofUser, event)
    told += lengthOf(event) * ofUser.length
    if (told < toldAtOnce) continue
    told = 0
    await turnOfOthers()
  }
}

/** Notes where the rooms that a HOUSE_UPDATE lists are others than the session was told of. */
function noteUnsettled(session: Session, houseId: string, listed: ReadonlySet<string>) {
  const differing = listed.symmetricDifference(session.houses.get(houseId) ?? new Set<string>())
  session.unsettled?.delete(houseId)
  if (differing.size === 0) return
  session.unsettled ??= new Map()
  session.unsettled.set(houseId, differing)
}

export function tellHouseDeleted({ hub }: Gateway, { house_id }: Of<'house_deleted'>, audience: Audience) {
  const event = payload('HOUSE_DOWN', { unavailable: false, house_id })
  for (const session of audience.inHouse(house_id)) {
    hub.leaveHouse(session, house_id)
    session.emit(event)
  }
}

/** HOUSE_JOIN to the joiner, before anything else about the house; HOUSE_MEMBER_JOIN to the others. */
export async function tellMemberJoined(gateway: Gateway, fact: Of<'member_joined'>, audience: Audience) {
  const { house_id, user_id } = fact
  const own = audience.ofUser(user_id).filter((session) => !session.houses.has(house_id))
  await showHouse(gateway, own, house_id)
  const others = audience.inHouse(house_id).filter((session) => session.userId !== user_id)
  if (others.length === 0) return
  const row = await findMember(gateway.db, { house_id, user_id })
  if (row) emitTo(others, memberEvent('HOUSE_MEMBER_JOIN', row))
}

/** HOUSE_JOIN to sessions of one user, if they are a member now. */
async function showHouse(gateway: Gateway, sessions: readonly Session[], houseId: string) {
  if (sessions.length === 0) return
  const house = await loadHouseFor(gateway, houseId, sessions[0]!.userId)
  for (const session of house ? sessions : []) {
    gateway.hub.enterHouse(session, houseId, house!.roomIds)
    session.emit(house!.event)
    // Flushed, as the HTTP answer may be written before this turn ends: existing clients then look the house up.
    session.connection?.flush()
  }
}

/** HOUSE_LEAVE to the one gone, HOUSE_MEMBER_LEAVE to the rest. */
export async function tellMemberLeft(gateway: Gateway, fact: Of<'member_left'>, audience: Audience) {
  const { house_id, user_id, member } = fact
  const own = audience.ofUser(user_id).filter((session) => gateway.hub.leaveHouse(session, house_id))
  emitTo(own, payload('HOUSE_LEAVE', { id: house_id, house_id }))
  const others = audience.inHouse(house_id)
  emitTo(others, payload('HOUSE_MEMBER_LEAVE', member))
  if (own.length + others.length > 0) await tellIfBack(gateway, fact, own, others)
}

/**
 * The user may have joined again at the same moment, and that may have been told before the leave: then they are told of
 * it again, so that it is the last that everybody hears.
 */
async function tellIfBack(
  gateway: Gateway,
  { house_id, user_id }: Of<'member_left'>,
  own: readonly Session[],
  others: readonly Session[],
) {
  const row = await findMember(gateway.db, { house_id, user_id })
  if (!row) return
  await showHouse(gateway, own, house_id)
  emitTo(others, memberEvent('HOUSE_MEMBER_JOIN', row))
}

export async function tellMemberUpdated({ db }: Gateway, fact: Of<'member_updated'>, audience: Audience) {
  const sessions = audience.inHouse(fact.house_id)
  if (sessions.length === 0) return
  const row = await findMember(db, { house_id: fact.house_id, user_id: fact.user_id })
  if (row) emitTo(sessions, memberEvent('HOUSE_MEMBER_UPDATE', row))
}

/** Members came online or went offline. */
export async function tellMembersPresence(
  { db }: Gateway,
  { house_id, changes }: MembersPresence,
  audience: Audience,
) {
  const sessions = audience.inHouse(house_id)
  if (sessions.length === 0) return
  // Sessions that are logging in are sent the same event later: they share it with all others.
  await Promise.all(
    changes.map(async (change) => {
      change.event ??= await retryUntilBack(() => presenceEvent(db, house_id, change))
    }),
  )
  for (const { user_id, event } of changes) {
    if (!event) continue
    for (const session of sessions) if (session.userId !== user_id) session.emit(event)
  }
}

/** Undefined when the user is no longer a member. */
async function presenceEvent(db: Db, house_id: string, { user_id, presence }: PresenceChange) {
  const row = await findMember(db, { house_id, user_id })
  if (!row) return undefined
  if (presence === 'online') return memberEvent('HOUSE_MEMBER_ENTER', row)
  return payload('HOUSE_MEMBER_EXIT', { id: user_id, house_id })
}

export async function tellRole(
  { db }: Gateway,
  fact: Of<'role_created' | 'role_updated'>,
  audience: Audience,
) {
  const sessions = audience.inHouse(fact.house_id)
  if (sessions.length === 0) return
  const row = await findRole(db, fact.house_id, fact.role.id)
  if (row) emitTo(sessions, payload(fact.type === 'role_created' ? 'ROLE_CREATE' : 'ROLE_UPDATE', role(row)))
}

export function tellRoleDeleted({ house_id, role_id }: Of<'role_deleted'>, audience: Audience) {
  emitTo(audience.inHouse(house_id), payload('ROLE_DELETE', { id: role_id, house_id }))
}
