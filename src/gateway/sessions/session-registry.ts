import type { CloseReason } from '../transport/close-codes.ts'
import type { Session } from './session.ts'
import { SessionIndex } from './session-index.ts'
import { SharedRoomSets } from './shared-room-sets.ts'

/** All sessions of this process, indexed by what their clients know. */
export class SessionRegistry {
  readonly sessions = new Map<string, Session>()
  /** Those that log in or resume: events are buffered for them. */
  readonly joining = new Set<Session>()
  /** The position up to which the log was sent. */
  position: number
  readonly #byUser = new SessionIndex()
  readonly #byHouse = new SessionIndex()
  readonly #roomSets = new SharedRoomSets()
  readonly #byPrivateRoom = new SessionIndex()
  readonly #byWatchedUser = new SessionIndex()
  /** The ids in the lists of op 6, by person. */
  readonly #watchedCounts = new Map<string, number>()

  constructor(position = 0) {
    this.position = position
  }

  add(session: Session): void {
    this.sessions.set(session.id, session)
    this.#byUser.add(session.userId, session)
  }

  /** False once a session has ended: work that was in progress must not index it again, as nothing would remove it. */
  has(session: Session): boolean {
    return this.sessions.get(session.id) === session
  }

  remove(session: Session): void {
    if (!this.has(session)) return
    this.sessions.delete(session.id)
    this.joining.delete(session)
    this.#byUser.delete(session.userId, session)
    this.#unwatch(session)
    for (const id of [...session.houses.keys()]) this.leaveHouse(session, id)
    for (const id of session.privateRooms ?? []) this.#byPrivateRoom.delete(id, session)
    session.markReady()
  }

  /** Ends a session and its connection. */
  end(session: Session, reason: CloseReason): void {
    this.remove(session)
    session.connection.close(reason)
  }

  /** From now on events are buffered for the session: what is read after this includes all earlier ones. */
  bufferEventsOf(session: Session): void {
    if (this.has(session)) this.joining.add(session)
  }

  /** From now on events are sent to the session as they happen. */
  markReady(session: Session): void {
    if (!this.has(session)) return
    this.joining.delete(session)
    session.markReady()
    for (const [id, rooms] of session.houses) {
      this.#byHouse.add(id, session)
      this.#roomSets.list(rooms, session)
    }
    for (const id of session.privateRooms ?? []) this.#byPrivateRoom.add(id, session)
  }

  enterHouse(session: Session, houseId: string, roomIds: ReadonlySet<string>): void {
    if (!this.has(session)) return
    this.leaveHouse(session, houseId)
    const rooms = this.#roomSets.acquire(roomIds)
    session.houses.set(houseId, rooms)
    if (!session.isReady) return
    this.#byHouse.add(houseId, session)
    this.#roomSets.list(rooms, session)
  }

  /** Returns whether the session knew the house. */
  leaveHouse(session: Session, houseId: string): boolean {
    const rooms = session.houses.get(houseId)
    if (!rooms) return false
    session.houses.delete(houseId)
    this.#byHouse.delete(houseId, session)
    this.#roomSets.unlist(rooms, session)
    this.#roomSets.release(rooms)
    return true
  }

  /** Replaces the rooms that the session knows of a house. Returns the shared set of them. */
  setRooms(session: Session, houseId: string, roomIds: ReadonlySet<string>): ReadonlySet<string> {
    const before = session.houses.get(houseId)
    if (!before) return roomIds
    const rooms = this.#roomSets.acquire(roomIds)
    session.houses.set(houseId, rooms)
    this.#roomSets.unlist(before, session)
    if (session.isReady) this.#roomSets.list(rooms, session)
    this.#roomSets.release(before)
    return rooms
  }

  /** Adds a room to those that these sessions know of a house. */
  addRoom(sessions: readonly Session[], houseId: string, roomId: string): void {
    this.#changeRooms(sessions, houseId, (rooms) => rooms.union(new Set([roomId])))
  }

  removeRoom(sessions: readonly Session[], houseId: string, roomId: string): void {
    this.#changeRooms(sessions, houseId, (rooms) => rooms.difference(new Set([roomId])))
  }

  /** Makes each set once for all sessions that share the one before. */
  #changeRooms(
    sessions: readonly Session[],
    houseId: string,
    change: (rooms: ReadonlySet<string>) => ReadonlySet<string>,
  ): void {
    for (const [before, sharing] of Map.groupBy(sessions, (session) => session.houses.get(houseId))) {
      let rooms = before && change(before)
      for (const session of sharing) rooms &&= this.setRooms(session, houseId, rooms)
    }
  }

  enterPrivateRoom(session: Session, roomId: string): void {
    if (!this.has(session) || session.privateRooms?.has(roomId)) return
    session.privateRooms ??= new Set()
    session.privateRooms.add(roomId)
    if (session.isReady) this.#byPrivateRoom.add(roomId, session)
  }

  /** Returns whether the session knew the room. */
  leavePrivateRoom(session: Session, roomId: string): boolean {
    this.#byPrivateRoom.delete(roomId, session)
    return session.privateRooms?.delete(roomId) ?? false
  }

  /**
   * Replaces the users to whose presence a session has subscribed, unless it has ended. Returns false, and changes nothing, where all
   * sessions of the person would then have more than `maxOfPerson`.
   */
  watch(session: Session, userIds: ReadonlySet<string>, maxOfPerson: number): boolean {
    if (!this.has(session)) return true
    const others = this.#countWatched(session.personId) - session.watched.size
    if (others + userIds.size > maxOfPerson) return false
    this.#unwatch(session)
    session.watched = userIds
    for (const id of userIds) this.#byWatchedUser.add(id, session)
    if (userIds.size > 0) this.#watchedCounts.set(session.personId, others + userIds.size)
    return true
  }

  #unwatch(session: Session): void {
    const { personId, watched } = session
    for (const id of watched) this.#byWatchedUser.delete(id, session)
    const left = this.#countWatched(personId) - watched.size
    if (left > 0) this.#watchedCounts.set(personId, left)
    else this.#watchedCounts.delete(personId)
  }

  #countWatched(personId: string): number {
    return this.#watchedCounts.get(personId) ?? 0
  }

  sessionsOfUser(userId: string): Session[] {
    return this.#byUser.list(userId)
  }

  sessionsInHouse(houseId: string): Session[] {
    return this.#byHouse.list(houseId)
  }

  sessionsInRoom(roomId: string): Session[] {
    const inPrivateRoom = this.#byPrivateRoom.list(roomId)
    return inPrivateRoom.length > 0 ? inPrivateRoom : this.#roomSets.sessionsInRoom(roomId)
  }

  sessionsWatching(userId: string): Session[] {
    return this.#byWatchedUser.list(userId)
  }

  /** Whether the client of a session knows the house, also while it logs in. */
  knowsHouse(houseId: string): boolean {
    return this.#byHouse.has(houseId) || [...this.joining].some(({ houses }) => houses.has(houseId))
  }
}
