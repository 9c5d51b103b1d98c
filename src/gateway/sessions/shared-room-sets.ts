import type { Session } from './session.ts'

type SharedSet = { key: string; rooms: ReadonlySet<string>; uses: number; sessions: Set<Session> }

/**
 * The rooms of houses that sessions know. Most members of a house know the same rooms: they share a set, and a room lists
 * sets instead of sessions, so the memory of a session does not grow with the number of rooms.
 */
export class SharedRoomSets {
  readonly #byKey = new Map<string, SharedSet>()
  readonly #byRooms = new Map<ReadonlySet<string>, SharedSet>()
  readonly #byRoom = new Map<string, Set<SharedSet>>()

  /** The shared set of these rooms, to be released later. */
  acquire(rooms: ReadonlySet<string>): ReadonlySet<string> {
    const shared = this.#byRooms.get(rooms) ?? this.#find(rooms)
    shared.uses += 1
    return shared.rooms
  }

  #find(rooms: ReadonlySet<string>): SharedSet {
    const key = [...rooms].sort().join()
    const found = this.#byKey.get(key)
    if (found) return found
    const added: SharedSet = { key, rooms, uses: 0, sessions: new Set() }
    this.#byKey.set(key, added)
    this.#byRooms.set(rooms, added)
    for (const id of rooms) this.#byRoom.set(id, (this.#byRoom.get(id) ?? new Set()).add(added))
    return added
  }

  release(rooms: ReadonlySet<string>): void {
    const shared = this.#byRooms.get(rooms)!
    shared.uses -= 1
    if (shared.uses > 0) return
    this.#byKey.delete(shared.key)
    this.#byRooms.delete(rooms)
    for (const id of rooms) {
      const sets = this.#byRoom.get(id)!
      sets.delete(shared)
      if (sets.size === 0) this.#byRoom.delete(id)
    }
  }

  /** Lists a session under the rooms of a shared set. */
  list(rooms: ReadonlySet<string>, session: Session): void {
    this.#byRooms.get(rooms)!.sessions.add(session)
  }

  unlist(rooms: ReadonlySet<string>, session: Session): void {
    this.#byRooms.get(rooms)!.sessions.delete(session)
  }

  sessionsInRoom(roomId: string): Session[] {
    return [...(this.#byRoom.get(roomId) ?? [])].flatMap(({ sessions }) => [...sessions])
  }
}
