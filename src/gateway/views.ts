import type { Session } from './session.ts'

type View = { key: string; rooms: ReadonlySet<string>; uses: number; sessions: Set<Session> }

/**
 * The rooms of a house that sessions can see. As most members of a house see the same rooms, sessions share sets of
 * rooms, and a room lists sets instead of sessions: so the memory of a session does not grow with the number of rooms.
 */
export class Views {
  readonly #byKey = new Map<string, View>()
  readonly #byRooms = new Map<ReadonlySet<string>, View>()
  readonly #byRoom = new Map<string, Set<View>>()
  /** What became of sets at the last change of a room, as that is applied to one session after the other. */
  #last = { roomId: '', results: new WeakMap<ReadonlySet<string>, ReadonlySet<string>>() }

  /** The shared set of these rooms, to be returned with `drop`. */
  take(roomIds: readonly string[] | ReadonlySet<string>): ReadonlySet<string> {
    const key = [...roomIds].sort().join()
    const view = this.#byKey.get(key) ?? this.#add(key, new Set(roomIds))
    view.uses += 1
    return view.rooms
  }

  /** Exchanges a set for the one with a room more, or less. */
  toggle(rooms: ReadonlySet<string>, roomId: string): ReadonlySet<string> {
    if (this.#last.roomId !== roomId) this.#last = { roomId, results: new WeakMap() }
    const { results } = this.#last
    const result = results.get(rooms)
    const known = result && this.#byRooms.get(result)
    const to = known ? known.rooms : this.take(toggled(rooms, roomId))
    if (known) known.uses += 1
    results.set(rooms, to)
    this.drop(rooms)
    return to
  }

  drop(rooms: ReadonlySet<string>): void {
    const view = this.#byRooms.get(rooms)!
    view.uses -= 1
    if (view.uses > 0) return
    this.#byKey.delete(view.key)
    this.#byRooms.delete(rooms)
    for (const id of rooms) {
      const views = this.#byRoom.get(id)!
      views.delete(view)
      if (views.size === 0) this.#byRoom.delete(id)
    }
  }

  /** Lists a session under the rooms of its set. */
  list(rooms: ReadonlySet<string>, session: Session): void {
    this.#byRooms.get(rooms)!.sessions.add(session)
  }

  unlist(rooms: ReadonlySet<string>, session: Session): void {
    this.#byRooms.get(rooms)!.sessions.delete(session)
  }

  inRoom(roomId: string): Session[] {
    const found: Session[] = []
    for (const view of this.#byRoom.get(roomId) ?? [])
      for (const session of view.sessions) found.push(session)
    return found
  }

  #add(key: string, rooms: ReadonlySet<string>): View {
    const view: View = { key, rooms, uses: 0, sessions: new Set() }
    this.#byKey.set(key, view)
    this.#byRooms.set(rooms, view)
    for (const id of rooms) {
      const views = this.#byRoom.get(id)
      if (views) views.add(view)
      else this.#byRoom.set(id, new Set([view]))
    }
    return view
  }
}

function toggled(rooms: ReadonlySet<string>, roomId: string): Set<string> {
  const other = new Set(rooms)
  if (!other.delete(roomId)) other.add(roomId)
  return other
}
