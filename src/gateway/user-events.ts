import type { EventOf as Of } from '../events/events.ts'
import { listContacts, listVisiblePairs } from '../friendships/contact-queries.ts'
import { relationship } from '../friendships/forms.ts'
import { relationshipType } from '../friendships/permissions.ts'
import { findRelation } from '../friendships/queries.ts'
import { listHousesWithPresence } from '../members/gateway-queries.ts'
import { findReadState } from '../read-states/queries.ts'
import { findSettings } from '../settings/queries.ts'
import { gatewayUser, ownGatewayUser } from '../users/forms.ts'
import { findGatewayUser, findUser } from '../users/queries.ts'
import { type Audience, emitTo, usersOf } from './audience.ts'
import { payload } from './frames.ts'
import type { Gateway } from './gateway.ts'
import { retryUntilBack } from './retry.ts'
import type { Session } from './session.ts'

/** The user is shown whether the address is verified; friends and private-room partners are not. */
export async function tellUserUpdated({ db, hub }: Gateway, { user_id, only_self }: Of<'user_updated'>) {
  const own = await findUser(db, user_id)
  if (own) hub.sendTo(user_id, payload('USER_UPDATE', ownGatewayUser(own)))
  if (only_self) return
  const [row, contacts] = await Promise.all([findGatewayUser(db, user_id), listContacts(db, user_id)])
  if (!row) return
  const event = payload('USER_UPDATE', gatewayUser(row))
  for (const contact of contacts) hub.sendTo(contact.user_id, event)
}

export async function tellRelationship(
  { db }: Gateway,
  fact: Of<'relationship_updated'>,
  audience: Audience,
) {
  const sessions = audience.ofUser(fact.user_id)
  if (sessions.length === 0) return
  // Of two changes at the same moment, the later one may be heard of first.
  const [other, present] = await Promise.all([
    findGatewayUser(db, fact.other_id),
    findRelation(db, fact.user_id, fact.other_id),
  ])
  if (!other) return
  const relation = present ?? { type: relationshipType.none, last_updated_at: new Date(fact.last_updated_at) }
  emitTo(sessions, payload('RELATIONSHIP_UPDATE', relationship(other, relation, fact.user_id)))
}

export async function tellReadState(
  { db }: Gateway,
  { user_id, room_id }: Of<'read_state_updated'>,
  audience: Audience,
) {
  const sessions = extendedOnly(audience.ofUser(user_id))
  if (sessions.length === 0) return
  // Of two acks, the later one may be heard of first.
  const present = await findReadState(db, user_id, room_id)
  if (present) emitTo(sessions, payload('READ_STATE_UPDATE', { room_id, ...present }))
}

export async function tellSettings({ db }: Gateway, { user_id }: Of<'settings_updated'>, audience: Audience) {
  const sessions = extendedOnly(audience.ofUser(user_id))
  if (sessions.length > 0) emitTo(sessions, payload('SETTINGS_UPDATE', await findSettings(db, user_id)))
}

/**
 * To friends, private-room partners and watchers, except those whom the user has blocked; then to the user's houses.
 */
export async function tellPresence(gateway: Gateway, fact: Of<'presence_changed'>): Promise<void> {
  const { db, hub } = gateway
  const { user_id, presence } = fact
  const [row, contacts, houseIds, watchers] = await retryUntilBack(() =>
    Promise.all([
      findGatewayUser(db, user_id),
      listContacts(db, user_id),
      listHousesWithPresence(db, user_id),
      watchersOf(gateway, user_id),
    ]),
  )
  if (!row) return
  const event = payload('PRESENCE_UPDATE', { ...gatewayUser(row), presence })
  const told = new Set<Session>()
  for (const contact of contacts) {
    if (!contact.is_blocked) for (const session of hub.ofUser(contact.user_id)) told.add(session)
  }
  for (const session of watchers) told.add(session)
  for (const session of told) hub.sendWhenLive(session, event)
  await Promise.all(houseIds.map((id) => gateway.presences.add(id, { user_id, presence })))
}

async function watchersOf({ db, hub }: Gateway, userId: string): Promise<Session[]> {
  const sessions = hub.watching(userId)
  if (sessions.length === 0) return []
  const viewers = usersOf(sessions)
  const visible = await listVisiblePairs(
    db,
    viewers.map((viewer_id) => ({ user_id: userId, viewer_id })),
  )
  const allowed = new Set(visible.map((pair) => pair.viewer_id))
  return sessions.filter((session) => allowed.has(session.userId))
}

/** Those whose clients know more events than existing clients do. */
function extendedOnly(sessions: readonly Session[]): Session[] {
  return sessions.filter((session) => session.extended)
}
