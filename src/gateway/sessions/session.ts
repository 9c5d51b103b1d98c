import type { Caller } from '../../auth/queries.ts'
import { type HearthEvent, scopeOf } from '../../events/events.ts'
import { maxBufferedEvents } from '../settings.ts'
import type { Connection } from '../transport/connection.ts'
import type { Payload } from '../transport/frames.ts'

/** An event that waits to be sent to sessions that log in; `position` is undefined if the log does not have it. */
export type PendingEvent = {
  readonly event: HearthEvent
  readonly position: number | undefined
  sendTo(session: Session): Promise<void>
}

const emptySet: ReadonlySet<string> = new Set()
const done = Promise.resolve()
const ignore = () => {}

/** Bytes that an id and a buffered event take in memory, on average. */
const bytesPerId = 48
const bytesPerEvent = 512

/** The `seq` of INIT_STATE and the HOUSE_JOINs before the last: nothing is resumed from there. */
const loginSeq = 1

/** The `seq` of the last frame that an event of the log makes. */
function seqOf(position: number): number {
  return position + loginSeq + 1
}

/** The position up to which a client has handled everything; undefined where its login was not over. */
export function positionOf(seq: unknown): number | undefined {
  return Number.isSafeInteger(seq) && (seq as number) > loginSeq ? (seq as number) - loginSeq - 1 : undefined
}

/** A gateway session, with the houses and rooms that its client knows. It ends with its connection. */
export class Session {
  readonly id: string
  readonly userId: string
  /** The id of the person whose limits count: the owner of a bot, else the user. */
  readonly personId: string
  readonly loginSessionId: string
  /** Whether the client accepts events and frames that existing clients do not know. */
  readonly extended: boolean
  readonly connection: Connection
  /** The rooms of each house that the client knows. Sessions share the sets, see `SharedRoomSets`. */
  readonly houses = new Map<string, ReadonlySet<string>>()
  /** Undefined while there are none. */
  privateRooms: Set<string> | undefined
  /** The users to whose presence the client has subscribed (op 6). */
  watched: ReadonlySet<string> = emptySet
  /** Settles when the login or resume is over, or the session has ended. */
  ready: Promise<void>
  /** Settles when the requests of the client so far are handled. */
  requests: Promise<void> = done
  #waitingIds = 0
  /** The position up to which the login or resume has read the log. */
  startPosition = 0
  /** The events since the login or resume began; undefined when it is over. */
  #buffered: PendingEvent[] | undefined = []
  /** The scopes of events that concern the session while it logs in; undefined until its state is read. */
  #scopes: Set<string> | undefined
  #seq: number
  #settle: () => void = ignore

  constructor(parts: {
    caller: Caller
    id: string
    extended: boolean
    connection: Connection
    seq?: number
  }) {
    this.id = parts.id
    this.userId = parts.caller.id
    this.personId = parts.caller.owner_id
    this.loginSessionId = parts.caller.session_id
    this.extended = parts.extended
    this.connection = parts.connection
    this.#seq = parts.seq ?? loginSeq
    this.ready = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** The number of ids in requests that wait. Their bytes count towards those that the connection buffers. */
  get waitingIds(): number {
    return this.#waitingIds
  }

  set waitingIds(count: number) {
    this.#waitingIds = count
    this.#countWaiting()
  }

  /** Whether events are sent to it as they happen. */
  get isReady(): boolean {
    return this.#buffered === undefined
  }

  /** The number of the last frame. */
  get seq(): number {
    return this.#seq
  }

  knowsRoom(roomId: string): boolean {
    if (this.privateRooms?.has(roomId)) return true
    for (const rooms of this.houses.values()) if (rooms.has(roomId)) return true
    return false
  }

  /**
   * Sends all frames that an event makes for the session. The last one has the number of the event, as the client has
   * then handled it; the others have the number of the position before.
   */
  emit(payloads: readonly Payload[], before: number, position: number): void {
    const last = payloads.length - 1
    for (const [index, payload] of payloads.entries()) {
      this.#advanceTo(index === last ? position : before)
      this.connection.send(this.#seq, payload)
    }
  }

  /** Sends a frame of the login; after the last one the client has the whole state. */
  emitState(payload: Payload, isLast: boolean): void {
    if (isLast) this.#advanceTo(this.startPosition)
    this.connection.send(this.#seq, payload, true)
  }

  /** Sends what is no event of the log. */
  answer(payload: Payload): void {
    this.connection.send(this.#seq, payload)
  }

  #advanceTo(position: number): void {
    this.#seq = Math.max(this.#seq, seqOf(position))
  }

  /** Keeps an event until the login or resume is over. */
  buffer(pending: PendingEvent): void {
    if (!this.#buffered || !this.#mayConcern(pending.event)) return
    if (this.#buffered.length < maxBufferedEvents) this.#buffered.push(pending)
    else this.connection.close('slow_consumer')
    this.#countWaiting()
  }

  /** Counts what waits in memory for the client towards what its connection buffers. */
  #countWaiting(): void {
    const eventBytes = (this.#buffered?.length ?? 0) * bytesPerEvent
    this.connection.countWaiting(this.#waitingIds * bytesPerId + eventBytes)
  }

  /** The state was read: it includes the log up to a position, and its scopes are known. */
  setStart(position: number, scopes: readonly string[]): void {
    this.startPosition = position
    this.#scopes = new Set(scopes)
    this.#buffered = this.#buffered?.filter(({ event }) => this.#mayConcern(event))
  }

  #mayConcern(event: HearthEvent): boolean {
    const scope = scopeOf(event)
    if (!this.#scopes || this.#scopes.has(scope)) return true
    const isOwn = 'user_id' in event && event.user_id === this.userId
    // A house or private room may be entered meanwhile.
    if (isOwn) this.#scopes.add(scope)
    return isOwn || event.type === 'user_updated' || event.type === 'presence_changed'
  }

  /** Sends the buffered events that the state does not include. */
  async sendBuffered(): Promise<void> {
    while (this.#buffered && this.#buffered.length > 0) {
      const buffered = this.#buffered
      this.#buffered = []
      for (const pending of buffered) {
        const isMissing = pending.position === undefined || pending.position > this.startPosition
        if (isMissing) await pending.sendTo(this)
      }
      this.#countWaiting()
    }
  }

  /** The login or resume is over, or the session has ended. */
  markReady(): void {
    const hasBuffered = this.#buffered !== undefined && this.#buffered.length > 0
    this.#buffered = undefined
    if (hasBuffered) this.#countWaiting()
    this.#scopes = undefined
    this.#settle()
    // Thousands of idle sessions share these.
    this.#settle = ignore
    this.ready = done
  }
}
