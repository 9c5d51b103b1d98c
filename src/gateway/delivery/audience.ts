import { setImmediate as otherWork } from 'node:timers/promises'
import type { HearthEvent } from '../../events/events.ts'
import type { HouseContents } from '../../houses/contents-queries.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionRegistry } from '../sessions/session-registry.ts'
import type { Payload } from '../transport/frames.ts'

/** An event with its position; undefined for an event that is not in the log. */
type Positioned = { event: HearthEvent; position: number | undefined }

/** The sessions that may be sent an event: those of a user, and those whose clients know a house or room. */
export type Audience = {
  sessionsInHouse(houseId: string): Session[]
  sessionsInRoom(roomId: string): Session[]
  sessionsOfUser(userId: string): Session[]
  /** Those that subscribed to the presence of a user (op 6). */
  sessionsWatching(userId: string): Session[]
  /** Sends the same to each of these sessions: all frames that the event makes for them, in order. */
  emit(sessions: readonly Session[], ...payloads: Payload[]): void
  /** Counts the rows of a house that were read for the event, and the rooms that were examined for its members. */
  examined(contents: HouseContents, rooms: number): void
}

/** All sessions that are ready, except those whose login or resume has read the log past the event. */
export function allSessions(registry: SessionRegistry, { event, position }: Positioned): Audience {
  const follows = (session: Session) =>
    session.isReady && (position === undefined || session.startPosition < position)
  return {
    sessionsInHouse: (id) => registry.sessionsInHouse(id).filter(follows),
    sessionsInRoom: (id) => registry.sessionsInRoom(id).filter(follows),
    sessionsOfUser: (id) => registry.sessionsOfUser(id).filter(follows),
    sessionsWatching: (id) => registry.sessionsWatching(id).filter(follows),
    emit: emitter(event, position, registry.position),
    examined: () => {},
  }
}

/** One session, which is sent the events of its login, or those that it missed. */
export function singleSession(session: Session, { event, position }: Positioned): Audience {
  const ifConcerned = (isConcerned: boolean) => (isConcerned ? [session] : [])
  return {
    sessionsInHouse: (id) => ifConcerned(session.houses.has(id)),
    sessionsInRoom: (id) => ifConcerned(session.knowsRoom(id)),
    sessionsOfUser: (id) => ifConcerned(session.userId === id),
    sessionsWatching: () => [],
    emit: emitter(event, position, 0),
    examined: () => {},
  }
}

/** Presences are not replayed, so their frames have the number of the position before. */
function emitter({ type }: HearthEvent, position: number | undefined, before: number): Audience['emit'] {
  const isReplayed = position !== undefined && type !== 'presence_changed'
  return (sessions, ...payloads) => {
    for (const session of sessions) session.emit(payloads, before, isReplayed ? position : before)
  }
}

/** The weight, in sent bytes, of a row that was read, and of a room that was examined for a member. */
const rowWeight = 512
const examinedRoomWeight = 8

/** An audience that sums the weight of an event: the sent bytes times the receivers, and the reads for it. */
export function weighed(audience: Audience): Audience & { readonly weight: number } {
  let weight = 0
  return {
    ...audience,
    emit(sessions, ...payloads) {
      audience.emit(sessions, ...payloads)
      weight += sessions.length * payloads.reduce((sum, { json }) => sum + json.length, 0)
    },
    examined({ rooms, roles, entities }, examinedRooms) {
      weight +=
        rowWeight * (rooms.length + roles.length + entities.length) + examinedRoomWeight * examinedRooms
    },
    get weight() {
      return weight
    },
  }
}

/** Those whose clients asked for the events and keys that existing clients do not know. */
export function extendedOnly(sessions: readonly Session[]): Session[] {
  return sessions.filter((session) => session.extended)
}

/** The ids of their users, each once. */
export function usersOf(sessions: readonly Session[]): string[] {
  return [...new Set(sessions.map((session) => session.userId))]
}

/** Handles the sessions of one user after another. `handle` returns what it cost; after `maxCost`, other work gets its turn. */
export async function forEachUser(
  sessions: readonly Session[],
  maxCost: number,
  handle: (userId: string, ofUser: Session[]) => number,
): Promise<void> {
  let cost = 0
  for (const [userId, ofUser] of Map.groupBy(sessions, (session) => session.userId)) {
    cost += handle(userId, ofUser)
    if (cost < maxCost) continue
    cost = 0
    await otherWork()
  }
}
