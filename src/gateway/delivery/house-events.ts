import { listMembersById } from '../../houses/members/gateway-queries.ts'
import { findMember } from '../../houses/members/queries.ts'
import { findRole } from '../../houses/roles/queries.ts'
import { serializeRole } from '../../houses/roles/serializers.ts'
import type { GatewayContext } from '../context.ts'
import {
  houseEvent,
  inOrder,
  listShownMembers,
  loadHouseJoin,
  memberEvent,
  readHouseFor,
} from '../sessions/house-state.ts'
import { payload } from '../transport/frames.ts'
import { type Audience, forEachUser, usersOf } from './audience.ts'
import { ahead, type EventHandlers, type ReadAheadHandlers } from './event-handler.ts'
import { applyVisibility, visibilityEvents } from './visibility.ts'

/** Characters that are sent before other work gets its turn: big houses take long to send. */
const maxCharacters = 4 * 1024 * 1024

export const houseHandlers: EventHandlers = {
  /**
   * HOUSE_UPDATE to each member, followed by what it shows of rooms that the session did not know, or no longer knows.
   */
  async house_updated({ db, registry }, { house_id }, audience) {
    const sessions = audience.sessionsInHouse(house_id)
    const userIds = usersOf(sessions)
    const house = sessions.length > 0 && (await readHouseFor(db, house_id, userIds))
    if (!house) return
    const { contents, contextOf } = house
    audience.examined(contents, contents.rooms.length * sessions.length)
    const members = inOrder(contents.house.owner_id, await listShownMembers(db, contents))
    const shown = new Set(members.map((row) => row.user_id))
    const unshown = userIds.filter((id) => contextOf(id) && !shown.has(id))
    const rows = unshown.length > 0 ? await listMembersById(db, house_id, unshown) : []
    const own = new Map(rows.map((row) => [row.user_id, row]))
    const events = visibilityEvents(contents)
    await forEachUser(sessions, maxCharacters, (userId, ofUser) => {
      const context = contextOf(userId)
      const row = own.get(userId)
      // A member who has left meanwhile gets HOUSE_LEAVE next: clients need their own member in a house.
      if (!context || !(row || shown.has(userId))) return 0
      const listed = row ? [row, ...members] : members
      const { event, roomIds } = houseEvent('HOUSE_UPDATE', contents, context, listed)
      const rooms = contents.rooms.filter(({ id }) => roomIds.has(id))
      for (const session of ofUser)
        audience.emit([session], event, ...applyVisibility(registry, session, rooms, events))
      return event.json.length * ofUser.length
    })
  },

  house_deleted({ registry }, { house_id }, audience) {
    const sessions = audience.sessionsInHouse(house_id)
    for (const session of sessions) registry.leaveHouse(session, house_id)
    audience.emit(sessions, payload('HOUSE_DOWN', { unavailable: false, house_id }))
  },

  /** HOUSE_JOIN to the joiner, if they are a member now; HOUSE_MEMBER_JOIN to the others. */
  async member_joined({ db, registry }, { house_id, user_id }, audience) {
    const own = audience.sessionsOfUser(user_id).filter((session) => !session.houses.has(house_id))
    const house = own.length > 0 ? await loadHouseJoin(db, house_id, user_id) : undefined
    if (house) {
      for (const session of own) registry.enterHouse(session, house_id, house.roomIds)
      audience.emit(own, house.event)
      // The answer to the request may be written before this turn ends, and existing clients then look the house up.
      for (const session of own) session.connection.flush()
    }
    const others = audience.sessionsInHouse(house_id).filter((session) => session.userId !== user_id)
    const row = others.length > 0 ? await findMember(db, { house_id, user_id }) : undefined
    if (row) audience.emit(others, memberEvent('HOUSE_MEMBER_JOIN', row))
  },

  /** HOUSE_LEAVE to the user who left, HOUSE_MEMBER_LEAVE to the others. */
  member_left({ registry }, { house_id, user_id, member }, audience) {
    const own = audience.sessionsOfUser(user_id).filter((session) => registry.leaveHouse(session, house_id))
    audience.emit(own, payload('HOUSE_LEAVE', { id: house_id, house_id }))
    audience.emit(audience.sessionsInHouse(house_id), payload('HOUSE_MEMBER_LEAVE', member))
  },

  role_created: (gateway, { house_id, role }, audience) =>
    sendRole(gateway, 'ROLE_CREATE', house_id, role.id, audience),

  role_updated: (gateway, { house_id, role }, audience) =>
    sendRole(gateway, 'ROLE_UPDATE', house_id, role.id, audience),

  role_deleted(_gateway, { house_id, role_id }, audience) {
    audience.emit(audience.sessionsInHouse(house_id), payload('ROLE_DELETE', { id: role_id, house_id }))
  },
}

export const houseReadAheadHandlers: ReadAheadHandlers = {
  /** A profile may be that of a member of many houses. */
  member_updated({ db, registry }, { house_id, user_id }) {
    const find = () => findMember(db, { house_id, user_id })
    const reading = registry.knowsHouse(house_id) ? ahead(find()) : undefined
    return async (audience) => {
      const sessions = audience.sessionsInHouse(house_id)
      const row = sessions.length > 0 ? await (reading ?? find()) : undefined
      if (row) audience.emit(sessions, memberEvent('HOUSE_MEMBER_UPDATE', row))
    }
  },
}

async function sendRole(
  { db }: GatewayContext,
  name: 'ROLE_CREATE' | 'ROLE_UPDATE',
  houseId: string,
  roleId: string,
  audience: Audience,
) {
  const sessions = audience.sessionsInHouse(houseId)
  const row = sessions.length > 0 ? await findRole(db, houseId, roleId) : undefined
  if (row) audience.emit(sessions, payload(name, serializeRole(row)))
}
