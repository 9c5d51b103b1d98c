import { Session } from './session.ts'

/** A single session is stored directly and few of them in an array, as a set takes more memory. */
type Sessions = Session | readonly Session[] | Set<Session>
const few = 4

/** Sessions by id, of a user, a house or something else. Most ids have one session or a few. */
export class SessionIndex {
  readonly #byId = new Map<string, Sessions>()

  get size(): number {
    return this.#byId.size
  }

  add(id: string, session: Session): void {
    const found = this.#byId.get(id)
    if (found instanceof Set) {
      found.add(session)
      return
    }
    const before = this.list(id)
    if (before.includes(session)) return
    const after = before.concat(session)
    if (after.length > few) this.#byId.set(id, new Set(after))
    else this.#byId.set(id, after.length > 1 ? after : session)
  }

  /** The sessions of an id, in the order in which they were added. */
  list(id: string): Session[] {
    const found = this.#byId.get(id)
    if (!found) return []
    return found instanceof Session ? [found] : [...found]
  }

  delete(id: string, session: Session): void {
    const found = this.#byId.get(id)
    if (found instanceof Set && found.size > 1) {
      found.delete(session)
      return
    }
    const [one, ...others] = this.list(id).filter((other) => other !== session)
    if (!one) this.#byId.delete(id)
    else this.#byId.set(id, others.length > 0 ? [one, ...others] : one)
  }
}
