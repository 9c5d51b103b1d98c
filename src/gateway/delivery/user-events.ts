import type { Db } from '../../database/client.ts'
import { listContacts, listVisiblePairs } from '../../friendships/contact-queries.ts'
import { relationshipType } from '../../friendships/permissions.ts'
import { findRelation } from '../../friendships/queries.ts'
import { serializeRelationship } from '../../friendships/serializers.ts'
import { findMember } from '../../houses/members/queries.ts'
import { findReadState } from '../../read-states/mark-operations.ts'
import { findSettings } from '../../settings/queries.ts'
import { findGatewayUser, findUser } from '../../users/queries.ts'
import { serializeGatewayUser, serializeOwnGatewayUser } from '../../users/serializers.ts'
import { memberPresence } from '../sessions/house-state.ts'
import type { Session } from '../sessions/session.ts'
import { payload } from '../transport/frames.ts'
import { extendedOnly, usersOf } from './audience.ts'
import { ahead, type EventHandlers, type ReadAheadHandlers } from './event-handler.ts'

export const userHandlers: EventHandlers = {
  async settings_updated({ db }, { user_id }, audience) {
    const sessions = extendedOnly(audience.sessionsOfUser(user_id))
    if (sessions.length > 0)
      audience.emit(sessions, payload('SETTINGS_UPDATE', await findSettings(db, user_id)))
  },
}

export const userReadAheadHandlers: ReadAheadHandlers = {
  /** USER_UPDATE to the user, who is shown whether the address is verified; to friends and private-room partners. */
  user_updated({ db }, { user_id, only_self }) {
    const reading = ahead(
      Promise.all([
        findUser(db, user_id),
        only_self ? undefined : findGatewayUser(db, user_id),
        only_self ? [] : listContacts(db, user_id),
      ]),
    )
    return async (audience) => {
      const [own, row, contacts] = await reading
      if (own)
        audience.emit(audience.sessionsOfUser(user_id), payload('USER_UPDATE', serializeOwnGatewayUser(own)))
      if (!row) return
      const update = payload('USER_UPDATE', serializeGatewayUser(row))
      for (const contact of contacts) audience.emit(audience.sessionsOfUser(contact.user_id), update)
    }
  },

  relationship_updated({ db, registry }, { user_id, other_id, last_updated_at }) {
    const find = () => Promise.all([findGatewayUser(db, other_id), findRelation(db, user_id, other_id)])
    const reading = registry.sessionsOfUser(user_id).length > 0 ? ahead(find()) : undefined
    return async (audience) => {
      const sessions = audience.sessionsOfUser(user_id)
      if (sessions.length === 0) return
      const [other, found] = await (reading ?? find())
      if (!other) return
      const relation = found ?? { type: relationshipType.none, last_updated_at: new Date(last_updated_at) }
      audience.emit(sessions, payload('RELATIONSHIP_UPDATE', serializeRelationship(other, relation, user_id)))
    }
  },

  read_state_updated({ db, registry }, { user_id, room_id }) {
    const find = () => findReadState(db, user_id, room_id)
    const reading = extendedOnly(registry.sessionsOfUser(user_id)).length > 0 ? ahead(find()) : undefined
    return async (audience) => {
      const sessions = extendedOnly(audience.sessionsOfUser(user_id))
      if (sessions.length === 0) return
      const { state, isMarked } = await (reading ?? find())
      // Who has left the house has no mark there: their clients do not know the room any more.
      const concerned = isMarked ? sessions : sessions.filter((session) => session.knowsRoom(room_id))
      audience.emit(concerned, payload('READ_STATE_UPDATE', { room_id, ...state }))
    }
  },

  /**
   * PRESENCE_UPDATE to friends, private-room partners and subscribers, except those whom the user has blocked; then
   * HOUSE_MEMBER_ENTER or HOUSE_MEMBER_EXIT to the others in the user's houses.
   */
  presence_changed({ db, registry }, { user_id, presence, contact_ids, house_ids }) {
    const members = new Map<string, ReturnType<typeof findMember>>()
    const memberIn = (house_id: string) => {
      const reading = members.get(house_id) ?? ahead(findMember(db, { house_id, user_id }))
      members.set(house_id, reading)
      return reading
    }
    for (const id of house_ids) if (registry.knowsHouse(id)) void memberIn(id)
    const reading = ahead(readContacts())

    async function readContacts() {
      const contacts = contact_ids ?? (await listUnblockedContacts(db, user_id))
      const isWanted =
        contacts.some((id) => registry.sessionsOfUser(id).length > 0) ||
        registry.sessionsWatching(user_id).length > 0
      return { contacts, user: isWanted ? await findGatewayUser(db, user_id) : undefined }
    }

    return async (audience) => {
      const houses = house_ids.filter((id) => audience.sessionsInHouse(id).length > 0)
      const [{ contacts, user }, watchers, ...rows] = await Promise.all([
        reading,
        filterAllowed(db, audience.sessionsWatching(user_id), user_id),
        ...houses.map(memberIn),
      ])
      const sessions = new Set([...contacts.flatMap((id) => audience.sessionsOfUser(id)), ...watchers])
      if (user)
        audience.emit([...sessions], payload('PRESENCE_UPDATE', { ...serializeGatewayUser(user), presence }))
      for (const [index, houseId] of houses.entries()) {
        const row = rows[index]
        const others = audience.sessionsInHouse(houseId).filter((session) => session.userId !== user_id)
        if (row) audience.emit(others, memberPresence(row, presence))
      }
    }
  },
}

async function listUnblockedContacts(db: Db, userId: string): Promise<string[]> {
  const contacts = await listContacts(db, userId)
  return contacts.flatMap((contact) => (contact.is_blocked ? [] : contact.user_id))
}

/** Those of these sessions whose users may see the presence of a user. */
async function filterAllowed(db: Db, sessions: Session[], userId: string): Promise<Session[]> {
  if (sessions.length === 0) return []
  const pairs = usersOf(sessions).map((viewer_id) => ({ user_id: userId, viewer_id }))
  const viewers = new Set((await listVisiblePairs(db, pairs)).map((pair) => pair.viewer_id))
  return sessions.filter((session) => viewers.has(session.userId))
}
