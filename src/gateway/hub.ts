import { Detached } from './detached.ts'
import type { Payload } from './frames.ts'
import type { Session } from './session.ts'
import { SessionIndex } from './session-index.ts'
import { Views } from './views.ts'

/** All sessions that are connected, or can still be resumed, indexed by what they were told of. */
export class Hub {
  readonly sessions = new Map<string, Session>()
  readonly detached = new Detached()
  readonly #byUser = new SessionIndex()
  readonly #byLogin = new SessionIndex()
  readonly #byHouse = new SessionIndex()
  /** By room of a house. */
  readonly #views = new Views()
  readonly #byPrivateRoom = new SessionIndex()
  readonly #byWatched = new SessionIndex()
  readonly #awaiting = new SessionIndex()
  #clock = 0

  /** Adds a session; until `goLive`, events are held for it. */
  add(session: Session): void {
    this.sessions.set(session.id, session)
    this.#byUser.add(session.userId, session)
    this.#byLogin.add(session.loginSessionId, session)
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
    this.#byUser.delete(session.userId, session)
    this.#byLogin.delete(session.loginSessionId, session)
    for (const id of session.awaited) this.#awaiting.delete(id, session)
    for (const id of session.watched) this.#byWatched.delete(id, session)
    for (const house of [...session.houses.keys()]) this.leaveHouse(session, house)
    for (const room of session.privateRooms ?? []) this.#byPrivateRoom.delete(room, session)
    session.held = null
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
    this.#awaiting.add(id, session)
  }

  /** The sessions for which events of one of these houses, private rooms or users are held. */
  awaiting(ids: readonly string[]): Set<Session> {
    const found = new Set<Session>()
    if (this.#awaiting.size === 0) return found
    for (const id of ids) for (const session of this.#awaiting.list(id)) found.add(session)
    return found
  }

  /** The login is over: from now on the session is sent events at once. */
  goLive(session: Session): void {
    for (const id of session.awaited) this.#awaiting.delete(id, session)
    session.awaited = []
    session.held = null
    session.liveFrom = this.#clock
    for (const [house, rooms] of session.houses) {
      this.#byHouse.add(house, session)
      this.#views.list(rooms, session)
    }
    for (const room of session.privateRooms ?? []) this.#byPrivateRoom.add(room, session)
  }

  enterHouse(session: Session, houseId: string, roomIds: readonly string[]): void {
    if (!this.has(session)) return
    this.leaveHouse(session, houseId)
    const rooms = this.#views.take(roomIds)
    session.houses.set(houseId, rooms)
    if (session.held) return
    this.#byHouse.add(houseId, session)
    this.#views.list(rooms, session)
  }

  /** Returns whether the session had been told of the house. */
  leaveHouse(session: Session, houseId: string): boolean {
    const rooms = session.houses.get(houseId)
    if (!rooms) return false
    session.houses.delete(houseId)
    session.unsettled?.delete(houseId)
    this.#byHouse.delete(houseId, session)
    this.#views.unlist(rooms, session)
    this.#views.drop(rooms)
    return true
  }

  /** A null house means a private room. */
  enterRoom(session: Session, houseId: string | null, roomId: string): void {
    if (!this.has(session)) return
    if (houseId !== null) {
      session.unsettled?.get(houseId)?.delete(roomId)
      const rooms = session.houses.get(houseId)
      if (rooms && !rooms.has(roomId)) this.#toggleRoom(session, houseId, rooms, roomId)
      return
    }
    session.privateRooms ??= new Set()
    session.privateRooms.add(roomId)
    if (!session.held) this.#byPrivateRoom.add(roomId, session)
  }

  /** Returns whether the session had been told of the room. */
  leaveRoom(session: Session, houseId: string | null, roomId: string): boolean {
    if (houseId !== null) {
      const wasUnsettled = session.unsettled?.get(houseId)?.delete(roomId) ?? false
      const rooms = session.houses.get(houseId)
      if (!rooms?.has(roomId)) return wasUnsettled
      this.#toggleRoom(session, houseId, rooms, roomId)
      return true
    }
    if (!session.privateRooms?.delete(roomId)) return false
    this.#byPrivateRoom.delete(roomId, session)
    return true
  }

  /** Puts these rooms of a house in place of those that the session was told of: many cost no more than one. */
  setRooms(session: Session, houseId: string, roomIds: readonly string[]): void {
    const before = session.houses.get(houseId)
    if (!before) return
    session.unsettled?.delete(houseId)
    this.#views.unlist(before, session)
    this.#show(session, houseId, this.#views.take(roomIds))
    this.#views.drop(before)
  }

  #toggleRoom(session: Session, houseId: string, before: ReadonlySet<string>, roomId: string): void {
    this.#views.unlist(before, session)
    this.#show(session, houseId, this.#views.toggle(before, roomId))
  }

  #show(session: Session, houseId: string, rooms: ReadonlySet<string>): void {
    session.houses.set(houseId, rooms)
    if (!session.held) this.#views.list(rooms, session)
  }

  watch(session: Session, userIds: ReadonlySet<string>): void {
    if (!this.has(session)) return
    for (const id of session.watched) this.#byWatched.delete(id, session)
    session.watched = userIds
    for (const id of userIds) this.#byWatched.add(id, session)
  }

  ofUser(userId: string): Session[] {
    return this.#byUser.list(userId)
  }

  ofLogin(loginSessionId: string): Session[] {
    return this.#byLogin.list(loginSessionId)
  }

  inHouse(houseId: string): Session[] {
    return this.#byHouse.list(houseId)
  }

  inRoom(roomId: string): Session[] {
    const inside = this.#byPrivateRoom.list(roomId)
    return inside.length > 0 ? inside : this.#views.inRoom(roomId)
  }

  watching(userId: string): Session[] {
    return this.#byWatched.list(userId)
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
