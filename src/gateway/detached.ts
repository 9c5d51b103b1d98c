import { lengthOf, type Payload } from './frames.ts'
import type { Session } from './session.ts'
import type { GatewaySettings } from './settings.ts'

/** How long, and how many, sessions without a connection are kept. */
export type DetachedBounds = Pick<
  GatewaySettings,
  'resumableForMs' | 'maxDetachedPerUser' | 'maxDetached' | 'maxDetachedBytes'
>

/** Counts the bytes of events that sessions keep, each event only once, however many sessions keep it. */
export class KeptBytes {
  total = 0

  add(event: Payload): void {
    event.detachedKeepers = (event.detachedKeepers ?? 0) + 1
    if (event.detachedKeepers === 1) this.total += event.ownLength ?? lengthOf(event)
  }

  remove(event: Payload): void {
    event.detachedKeepers! -= 1
    if (event.detachedKeepers === 0) this.total -= event.ownLength ?? lengthOf(event)
  }
}

/** The sessions that have lost their connection and can be resumed, the oldest loss first. */
export class Detached {
  readonly #sessions = new Map<Session, number>()
  readonly #kept = new KeptBytes()

  get size(): number {
    return this.#sessions.size
  }

  add(session: Session, nowMs = performance.now()): void {
    this.#sessions.set(session, nowMs)
    session.kept.countIn(this.#kept)
  }

  delete(session: Session): void {
    if (this.#sessions.delete(session)) session.kept.countIn(undefined)
  }

  /** The sessions to be dropped: their time is over, or there are too many. */
  *due(bounds: DetachedBounds, nowMs = performance.now()): Generator<Session> {
    for (const [session, sinceMs] of this.#sessions) {
      const isOver = nowMs - sinceMs >= bounds.resumableForMs
      const isTooMuch = this.size > bounds.maxDetached || this.#kept.total > bounds.maxDetachedBytes
      if (!isOver && !isTooMuch) return
      yield session
    }
  }

  /** The sessions of one user to be dropped, because there are too many. */
  dueOf(sessions: readonly Session[], bounds: DetachedBounds): Session[] {
    const theirs = sessions.filter((session) => this.#sessions.has(session))
    theirs.sort((one, other) => this.#sessions.get(one)! - this.#sessions.get(other)!)
    return theirs.slice(0, Math.max(0, theirs.length - bounds.maxDetachedPerUser))
  }
}
