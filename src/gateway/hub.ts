import { Detached } from './detached.ts'
import type { Payload } from './frames.ts'
import { Session } from './session.ts'
import { Views } from './views.ts'

/**
 * Most ids belong to one session or a few: a single one is stored directly and few of them in an array, as a set takes
 * more memory.
 */
type Index = Map<string, Session | readonly Session[] | Set<Session>>
const few = 4

/** All sessions that are connected, or can still be resumed, indexed by what they were told of. */
export class Hub {
  readonly sessions = new Map<string, Session>()
  readonly detached = new Detached()
  readonly #byUser: Index = new Map()
  readonly #byLogin: Index = new Map()
  readonly #byHouse: Index = new Map()
  /** By room of a house. */
  readonly #views = new Views()
  readonly #byPrivateRoom: Index = new Map()
  readonly #byWatched: Index = new Map()
  readonly #awaiting: Index = new Map()
  #clock = 0

  /** Adds a session; until `goLive`, events are held for it. */
  add(session: Session): void {
    this.sessions.set(session.id, session)
    insert(this.#byUser, session.userId, session)
    insert(this.#byLogin, session.loginSessionId, session)
    this.awaitScope(session, session.userId)
  }

  /**
   * Whether a session has not ended. Work that was in progress when it ended must not add it to an index again: nothing
   * would remove it.
   */
  has(session: Session): boolean {
    return this.sessions.get(session.id) === session
  }

  /** Ends a session: nothing is sent to it any more, and it cannot be resumed. */
  remove(session: Session): void {
    this.sessions.delete(session.id)
    this.detached.delete(session)
    remove(this.#byUser, session.userId, session)
    remove(this.#byLogin, session.loginSessionId, session)
    for (const id of session.awaited) remove(this.#awaiting, id, session)
    for (const id of session.watched) remove(this.#byWatched, id, session)
    for (const house of [...session.houses.keys()]) this.leaveHouse(session, house)
    for (const room of session.privateRooms ?? []) remove(this.#byPrivateRoom, room, session)
    session.held = null
    session.liveFrom = Number.POSITIVE_INFINITY
    session.end()
  }

  /** The number of the next event to be dispatched. */
  nextTick(): number {
    this.#clock += 1
    return this.#clock
  }

  /** Holds the events of a house, a private room or the user while the session logs in. */
  awaitScope(session: Session, id: string): void {
    if (!session.held) return
    session.awaited.push(id)
    insert(this.#awaiting, id, session)
  }

  /** The sessions for which events of one of these houses, private rooms or users are held. */
  awaiting(ids: readonly string[]): Set<Session> {
    const found = new Set<Session>()
    if (this.#awaiting.size === 0) return found
    for (const id of ids) for (const session of listed(this.#awaiting, id)) found.add(session)
    return found
  }

  /** The login is over: from now on the session is sent events at once. */
  goLive(session: Session): void {
    for (const id of session.awaited) remove(this.#awaiting, id, session)
    session.awaited = []
    session.held = null
    session.liveFrom = this.#clock
    for (const [house, rooms] of session.houses) {
      insert(this.#byHouse, house, session)
      this.#views.list(rooms, session)
    }
    for (const room of session.privateRooms ?? []) insert(this.#byPrivateRoom, room, session)
  }

  enterHouse(session: Session, houseId: string, roomIds: Iterable<string>): void {
    if (!this.has(session)) return
    this.leaveHouse(session, houseId)
    const rooms = this.#views.take(roomIds)
    session.houses.set(houseId, rooms)
    if (session.held) return
    insert(this.#byHouse, houseId, session)
    this.#views.list(rooms, session)
  }

  /** Returns whether the session had been told of the house. */
  leaveHouse(session: Session, houseId: string): boolean {
    const rooms = session.houses.get(houseId)
    if (!rooms) return false
    session.houses.delete(houseId)
    session.unsettled.delete(houseId)
    remove(this.#byHouse, houseId, session)
    this.#views.unlist(rooms, session)
    this.#views.drop(rooms)
    return true
  }

  /** A null house means a private room. */
  enterRoom(session: Session, houseId: string | null, roomId: string): void {
    if (!this.has(session)) return
    if (houseId !== null) {
      session.unsettled.get(houseId)?.delete(roomId)
      if (session.houses.get(houseId)?.has(roomId) === false) this.#changeRooms(session, houseId, roomId)
      return
    }
    session.privateRooms ??= new Set()
    session.privateRooms.add(roomId)
    if (!session.held) insert(this.#byPrivateRoom, roomId, session)
  }

  /** Returns whether the session had been told of the room. */
  leaveRoom(session: Session, houseId: string | null, roomId: string): boolean {
    if (houseId !== null) {
      const wasUnsettled = session.unsettled.get(houseId)?.delete(roomId) ?? false
      if (!session.houses.get(houseId)?.has(roomId)) return wasUnsettled
      this.#changeRooms(session, houseId, roomId)
      return true
    }
    if (!session.privateRooms?.delete(roomId)) return false
    remove(this.#byPrivateRoom, roomId, session)
    return true
  }

  #changeRooms(session: Session, houseId: string, roomId: string): void {
    const before = session.houses.get(houseId)!
    this.#views.unlist(before, session)
    const after = this.#views.toggle(before, roomId)
    session.houses.set(houseId, after)
    if (!session.held) this.#views.list(after, session)
  }

  watch(session: Session, userIds: ReadonlySet<string>): void {
    if (!this.has(session)) return
    for (const id of session.watched) remove(this.#byWatched, id, session)
    session.watched = userIds
    for (const id of userIds) insert(this.#byWatched, id, session)
  }

  ofUser(userId: string): Session[] {
    return listed(this.#byUser, userId)
  }

  ofLogin(loginSessionId: string): Session[] {
    return listed(this.#byLogin, loginSessionId)
  }

  inHouse(houseId: string): Session[] {
    return listed(this.#byHouse, houseId)
  }

  inRoom(roomId: string): Session[] {
    const inside = listed(this.#byPrivateRoom, roomId)
    return inside.length > 0 ? inside : this.#views.inRoom(roomId)
  }

  watching(userId: string): Session[] {
    return listed(this.#byWatched, userId)
  }

  /** Sends an event to all sessions of a user; to those that are logging in, after that. */
  sendTo(userId: string, event: Payload): void {
    for (const session of this.ofUser(userId)) this.sendWhenLive(session, event)
  }

  sendWhenLive(session: Session, event: Payload): void {
    if (session.held) session.hold(() => session.emit(event))
    else session.emit(event)
  }
}

function insert(index: Index, id: string, session: Session): void {
  const found = index.get(id)
  if (found instanceof Set) {
    found.add(session)
    return
  }
  const before = listed(index, id)
  if (before.includes(session)) return
  const after = before.concat(session)
  if (after.length > few) index.set(id, new Set(after))
  else index.set(id, after.length > 1 ? after : session)
}

function listed(index: Index, id: string): Session[] {
  const found = index.get(id)
  if (!found) return []
  return found instanceof Session ? [found] : [...found]
}

function remove(index: Index, id: string, session: Session): void {
  const found = index.get(id)
  if (found instanceof Set && found.size > 1) {
    found.delete(session)
    return
  }
  const [one, ...others] = listed(index, id).filter((other) => other !== session)
  if (!one) index.delete(id)
  else index.set(id, others.length > 0 ? [one, ...others] : one)
}
