import type { Payload } from './frames.ts'
import type { Hub } from './hub.ts'
import type { Session } from './session.ts'

/** The sessions that may be sent one event: those that were told of a house or room, or belong to a user. */
export type Audience = {
  inHouse(houseId: string): Session[]
  inRoom(roomId: string): Session[]
  ofUser(userId: string): Session[]
}

/** All sessions that were logged in when the event with this number was dispatched. */
export function everybody(hub: Hub, tick: number): Audience {
  const wasLive = (session: Session) => session.liveFrom < tick
  return {
    inHouse: (houseId) => hub.inHouse(houseId).filter(wasLive),
    inRoom: (roomId) => hub.inRoom(roomId).filter(wasLive),
    ofUser: (userId) => hub.ofUser(userId).filter(wasLive),
  }
}

/** A single session, for which the event was held. */
export function justOne(session: Session): Audience {
  const ifSo = (concerned: boolean) => (concerned ? [session] : [])
  return {
    inHouse: (houseId) => ifSo(session.houses.has(houseId)),
    inRoom: (roomId) => {
      const knows =
        session.privateRooms?.has(roomId) || [...session.houses.values()].some((rooms) => rooms.has(roomId))
      return ifSo(knows)
    },
    ofUser: (userId) => ifSo(session.userId === userId),
  }
}

/** Sends the same payload to all of them. */
export function emitTo(sessions: readonly Session[], event: Payload): void {
  for (const session of sessions) session.emit(event)
}

/** The ids of their users, each once. */
export function usersOf(sessions: readonly Session[]): string[] {
  return [...new Set(sessions.map((session) => session.userId))]
}
