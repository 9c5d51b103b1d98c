import { randomBytes } from 'node:crypto'
import type { Caller } from '../auth/queries.ts'
import type { Connection } from './connection.ts'
import { type Payload, payload } from './frames.ts'
import { KeptEvents } from './kept-events.ts'
import type { Work } from './lanes.ts'
import { maxHeldEvents, maxKeptBytes, maxKeptEvents } from './settings.ts'

const nothing: ReadonlySet<string> = new Set()
const done = Promise.resolve()

/**
 * A gateway session: the numbered events that a client was sent, and the houses and rooms that it was told of. A
 * session outlives its connection for a while, so that another connection can resume it.
 */
export class Session {
  readonly id = randomBytes(16).toString('hex')
  readonly userId: string
  readonly loginSessionId: string
  /** Whether the client accepts events and frames that existing clients do not know. */
  readonly extended: boolean
  /** The houses that it was told of, with their rooms; the sets are shared, see `views.ts`. */
  readonly houses = new Map<string, ReadonlySet<string>>()
  /**
   * The rooms that the last HOUSE_UPDATE of a house listed although it was not told of them, or left out although it
   * was. HOUSE_UPDATE shows the house as it is now; `visibility_changed`, which settles them, may come after yet another
   * change. Undefined until there are some.
   */
  unsettled: Map<string, Set<string>> | undefined
  /** Undefined while there are none. */
  privateRooms: Set<string> | undefined
  /** The users whose presence it asked for (op 6). */
  watched: ReadonlySet<string> = nothing
  /** Work that was held during the login, in order; null once the login is over. */
  held: Work[] | null = []
  /**
   * Whether INIT_STATE and every HOUSE_JOIN were sent: from then on it can be resumed, even if events are still held.
   */
  isTold = false
  /** Ids of houses, private rooms and the user whose events are held. */
  awaited: string[] = []
  /** The number of the last event that was dispatched before the login was over; it is sent all later ones. */
  liveFrom = Number.POSITIVE_INFINITY
  connection: Connection | undefined
  /** The requests of the client, which are carried out one after the other. */
  requests: Promise<void> = done
  /** See `maxWaitingIds`. */
  waitingIds = 0
  /** The last events that it was sent, for a replay. */
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

  /** Holds work until the login is over. */
  hold(work: Work): void {
    if (!this.held || this.held.length < maxHeldEvents) {
      this.held?.push(work)
      return
    }
    // It misses an event, and so must not be resumed.
    this.isTold = false
    this.connection?.close('slow_consumer')
  }

  /** Whether all events after `seq` are still kept. */
  canReplay(seq: number): boolean {
    return seq <= this.#seq && seq >= this.#seq - this.kept.length
  }

  /** Continues on another connection, with the events after `seq` that the client missed, and then RESUMED. */
  resume(connection: Connection, seq: number): void {
    this.connection = connection
    if (this.extended) connection.acknowledgeHeartbeats()
    const missed = [...this.kept].slice(this.kept.length - (this.#seq - seq))
    missed.forEach((event, index) => {
      connection.send(seq + 1 + index, event, true)
    })
    this.emit(payload('RESUMED', { session_id: this.id, seq: this.#seq }))
  }

  /** From now on nothing is kept. */
  end(): void {
    this.#isOver = true
    this.kept.clear()
  }

  #keep(event: Payload): void {
    if (this.#isOver) return
    this.kept.push(event)
    while (this.kept.length > maxKeptEvents || this.kept.bytes > maxKeptBytes) this.kept.shift()
  }
}
