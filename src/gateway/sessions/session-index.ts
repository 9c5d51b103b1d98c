import type { Session } from './session.ts'

/** Most ids have no more sessions; an array that grows would reserve space for others. */
const smallListLength = 4

/** Lists of sessions by the id of a user, a house or a room, in the order in which they were added. */
export class SessionIndex {
  readonly #byId = new Map<string, Session[]>()

  /** Adds a session that is not listed under the id. */
  add(id: string, session: Session): void {
    const before = this.#byId.get(id) ?? []
    if (before.length < smallListLength) this.#byId.set(id, before.concat(session))
    else before.push(session)
  }

  list(id: string): Session[] {
    return this.#byId.get(id)?.slice() ?? []
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  delete(id: string, session: Session): void {
    const sessions = this.#byId.get(id)
    const index = sessions?.indexOf(session) ?? -1
    if (index !== -1) sessions!.splice(index, 1)
    if (sessions?.length === 0) this.#byId.delete(id)
  }
}
