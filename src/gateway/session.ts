import { randomBytes } from 'node:crypto'
import type { Caller } from '../auth/queries.ts'
import type { Connection } from './connection.ts'
import { type Payload, payload } from './frames.ts'
import { KeptEvents } from './kept-events.ts'
import { keptEvents, maxHeldEvents, maxKeptBytes } from './settings.ts'

const nothing: ReadonlySet<string> = new Set()
const done = Promise.resolve()

/**
 * A gateway session: what one client has been told, in numbered events, and what it has been told about. It outlives
 * its connection for a while, and another connection may take it up.
 */
export class Session {
  readonly id = randomBytes(16).toString('hex')
  readonly userId: string
  readonly loginSessionId: string
  /** A client of ours, which takes events and frames that existing clients do not know. */
  readonly extended: boolean
  /** The houses it was told of, each with the rooms of it; the sets are shared, see `views.ts`. */
  readonly houses = new Map<string, ReadonlySet<string>>()
  /** Undefined: none. */
  privateRooms: Set<string> | undefined
  /** Whose presence it asked for (op 6). */
  watched: ReadonlySet<string> = nothing
  /** What happens during the login, in order; null once that is over. */
  held: (() => void | Promise<void>)[] | null = []
  /**
   * Whether INIT_STATE and every HOUSE_JOIN went out: from then on it can be resumed, though events may still be held.
   */
  isTold = false
  /** Ids of houses, private rooms and the user whose events are held. */
  awaited: string[] = []
  /** Takes part in events dispatched after this one. */
  liveFrom = Number.POSITIVE_INFINITY
  connection: Connection | undefined
  /** What the client asked for, one after the other. */
  requests: Promise<void> = done
  waitingRequests = 0
  /** The last events it was told, for a replay. */
  readonly kept = new KeptEvents()
  #seq = 0
  #isOver = false

  constructor(caller: Caller, extended: boolean, connection: Connection) {
    this.userId = caller.id
    this.loginSessionId = caller.session_id
    this.extended = extended
    this.connection = connection
  }

  /** Sends an event now, and keeps it for a replay. */
  emit(event: Payload): void {
    this.#seq += 1
    this.#keep(event)
    this.connection?.send(this.#seq, event)
  }

  /** Sends an event of the login, which cannot be replayed. */
  emitOnce(event: Payload): void {
    this.#seq += 1
    this.kept.clear()
    this.connection?.send(this.#seq, event, true)
  }

  /** Puts something off until the login is over. */
  hold(work: () => void | Promise<void>): void {
    if (!this.held || this.held.length < maxHeldEvents) {
      this.held?.push(work)
      return
    }
    // It has missed something.
    this.isTold = false
    this.connection?.close('slow_consumer')
  }

  /** Whether everything after `seq` is still there. */
  canReplay(seq: number): boolean {
    return seq <= this.#seq && seq >= this.#seq - this.kept.length
  }

  /** Goes on with another connection: first what was missed after `seq`, then RESUMED. */
  resume(connection: Connection, seq: number): void {
    this.connection = connection
    connection.acknowledges = this.extended
    const missed = [...this.kept].slice(this.kept.length - (this.#seq - seq))
    missed.forEach((event, index) => {
      connection.send(seq + 1 + index, event, true)
    })
    this.emit(payload('RESUMED', { session_id: this.id, seq: this.#seq }))
  }

  /** Keeps nothing any more. */
  end(): void {
    this.#isOver = true
    this.kept.clear()
  }

  #keep(event: Payload): void {
    if (this.#isOver) return
    this.kept.push(event)
    while (this.kept.length > keptEvents || this.kept.bytes > maxKeptBytes) this.kept.shift()
  }
}
