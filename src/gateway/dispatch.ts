import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '../db/away.ts'
import type { HearthEvent } from '../events/events.ts'
import { type Audience, everybody, justOne } from './audience.ts'
import type { Gateway } from './gateway.ts'
import * as houses from './house-events.ts'
import type { Work } from './lanes.ts'
import type { MembersPresence } from './presence-batches.ts'
import * as rooms from './room-events.ts'
import type { Session } from './session.ts'
import * as users from './user-events.ts'
import * as visibility from './visibility.ts'

/** How long the answer to joining a house waits for sessions that are logging in. */
const joinToldWithinMs = 1_000
/** After how long a fact is told again whose receivers could not be read. */
const tellAgainMs = 1_000

/**
 * The facts that the gateway dispatches: events from the bus, and those that it derives from them for single houses.
 */
export type Fact = HearthEvent | MembersPresence

/**
 * Sends a fact to all who may be told of it; settles when that is written. Facts of one house, private room or user are
 * sent in order. For sessions that are logging in, they are held.
 */
export function dispatch(gateway: Gateway, fact: Fact): void | Promise<void> {
  if (fact.type === 'sessions_ended') return endSessions(gateway, fact.session_ids)
  if (fact.type === 'account_deleted') return gateway.forget(fact.user_id)
  if (fact.type === 'events_lost') return gateway.endAll()
  if (fact.type === 'events_doubtful') return endDoubtful(gateway, fact.events)
  const lane = scopesOf(fact)[0]!
  const joins: Promise<void>[] = []
  if (fact.type !== 'members_presence') gateway.presences.close(lane)
  const told = gateway.lanes(lane, () => {
    const { hub } = gateway
    if (fact.type === 'members_presence') gateway.presences.close(lane)
    const tick = hub.nextTick()
    const scopes = isAboutContacts(fact) ? [] : scopesOf(fact)
    for (const session of hub.awaiting(scopes)) {
      const work = () => guarded(gateway, fact, justOne(session), () => [session])
      // Later facts about the house or room are held as well, and follow this one.
      if (isEntering(fact, session.userId)) hub.awaitScope(session, lane)
      if (fact.type === 'member_joined' && fact.user_id === session.userId)
        joins.push(heldJoin(session, work))
      else session.hold(work)
    }
    return guarded(gateway, fact, everybody(hub, tick), () => concerned(gateway, fact))
  })
  return fact.type === 'member_joined' ? afterJoins(told, joins) : told
}

/** Holds a HOUSE_JOIN until the login is over. Settles when it has been sent. */
function heldJoin(session: Session, work: Work): Promise<void> {
  return new Promise((resolve) => {
    session.hold(async () => {
      await work()
      resolve()
    })
  })
}

/**
 * A join is answered after HOUSE_JOIN was sent (PROTOCOL 0.3), also to sessions that are logging in; but not for ever,
 * as a login may be slow or fail.
 */
async function afterJoins(told: void | Promise<void>, joins: readonly Promise<void>[]): Promise<void> {
  await told
  if (joins.length === 0) return
  await Promise.race([Promise.all(joins), pause(joinToldWithinMs, undefined, { ref: false })])
}

/**
 * If a fact cannot be told because of a failure, ends the sessions that should have been told: their clients log in
 * again. A changed profile is told when the database is back: whom to tell is not known without it.
 */
function guarded(
  gateway: Gateway,
  fact: Fact,
  audience: Audience,
  losers: () => Session[],
): void | Promise<void> {
  const giveUp = (error: unknown) => {
    if (fact.type === 'user_updated' && isDatabaseAway(error)) return tellAgain(gateway, fact)
    gateway.log.error({ err: error, fact: fact.type }, 'an event could not be told')
    for (const session of losers()) gateway.end(session, 'internal_error')
  }
  try {
    return tell(gateway, fact, audience)?.catch(giveUp)
  } catch (error) {
    giveUp(error)
  }
}

/** Nobody waits for it: the database may be away for long. */
function tellAgain(gateway: Gateway, fact: Fact): void {
  setTimeout(() => void dispatch(gateway, fact), tellAgainMs).unref()
}

function tell(gateway: Gateway, fact: Fact, audience: Audience): void | Promise<void> {
  switch (fact.type) {
    case 'message_created':
    case 'message_updated':
    case 'message_deleted':
      return rooms.tellMessage(gateway, fact, audience)
    case 'typing_started':
      return rooms.tellTyping(gateway, fact, audience)
    case 'read_state_updated':
      return users.tellReadState(gateway, fact, audience)
    case 'house_updated':
      return houses.tellHouseUpdated(gateway, fact, audience)
    case 'house_deleted':
      return houses.tellHouseDeleted(gateway, fact, audience)
    case 'visibility_changed':
      return visibility.tellVisibility(gateway, fact, audience)
    case 'member_joined':
      return houses.tellMemberJoined(gateway, fact, audience)
    case 'member_left':
      return houses.tellMemberLeft(gateway, fact, audience)
    case 'member_updated':
      return houses.tellMemberUpdated(gateway, fact, audience)
    case 'members_presence':
      return houses.tellMembersPresence(gateway, fact, audience)
    case 'role_created':
    case 'role_updated':
      return houses.tellRole(gateway, fact, audience)
    case 'role_deleted':
      return houses.tellRoleDeleted(fact, audience)
    case 'entities_updated':
      return visibility.tellEntities(gateway, fact, audience)
    case 'room_created':
      return rooms.tellRoomCreated(gateway, fact, audience)
    case 'room_deleted':
      return rooms.tellRoomDeleted(gateway, fact, audience)
    case 'room_updated':
      return rooms.tellRoomUpdated(gateway, fact, audience)
    case 'private_room_entered':
      return rooms.tellPrivateRoomEntered(gateway, fact, audience)
    case 'private_room_left':
      return rooms.tellPrivateRoomLeft(gateway, fact, audience)
    case 'user_updated':
      return users.tellUserUpdated(gateway, fact)
    case 'presence_changed':
      return users.tellPresence(gateway, fact)
    case 'relationship_updated':
      return users.tellRelationship(gateway, fact, audience)
    case 'settings_updated':
      return users.tellSettings(gateway, fact, audience)
  }
}

/**
 * The house, private room or user that a fact is about, in whose order it is told; then others who must not miss it.
 */
function scopesOf(fact: Fact): string[] {
  switch (fact.type) {
    case 'member_joined':
    case 'member_left':
      return [fact.house_id, fact.user_id]
    case 'private_room_entered':
    case 'private_room_left':
      return [fact.room_id, fact.user_id]
    case 'read_state_updated':
    case 'relationship_updated':
    case 'settings_updated':
    case 'user_updated':
    case 'presence_changed':
      return [fact.user_id]
    case 'sessions_ended':
    case 'account_deleted':
    case 'events_lost':
    case 'events_doubtful':
      return []
    default:
      return [fact.house_id ?? (fact as { room_id: string }).room_id]
  }
}

/** Whether a user enters a house or private room that they have not been told of so far. */
function isEntering(fact: Fact, userId: string): boolean {
  return (fact.type === 'member_joined' || fact.type === 'private_room_entered') && fact.user_id === userId
}

/**
 * Whether a fact is told to the contacts of a user, not to those in a place: these facts are held when they are sent.
 */
function isAboutContacts(fact: Fact): boolean {
  return fact.type === 'user_updated' || fact.type === 'presence_changed'
}

function concerned({ hub }: Gateway, fact: Fact): Session[] {
  return scopesOf(fact).flatMap((id) => [...hub.inHouse(id), ...hub.inRoom(id), ...hub.ofUser(id)])
}

/**
 * Ends the sessions that would have been told of events that may have happened: their clients log in again. Whom a
 * changed profile concerns is not known here, so that it is told as it is.
 */
function endDoubtful(gateway: Gateway, events: readonly HearthEvent[]): void {
  for (const event of events) {
    if (event.type === 'user_updated') void dispatch(gateway, event)
    const logins = event.type === 'sessions_ended' ? event.session_ids : []
    const sessions = [...concerned(gateway, event), ...logins.flatMap((id) => gateway.hub.ofLogin(id))]
    for (const session of sessions) gateway.end(session, 'internal_error')
  }
}

function endSessions(gateway: Gateway, loginSessionIds: readonly string[]): void {
  for (const id of loginSessionIds) {
    for (const session of gateway.hub.ofLogin(id)) gateway.end(session, 'invalid_token')
  }
}
