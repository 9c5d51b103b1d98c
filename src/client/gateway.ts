import { type Connection, openConnection, socketUrl } from './connection.ts'
import { eventIterator } from './event-iterator.ts'
import type { EventName, Events, GatewayEvent } from './events.ts'
import type { GatewayState, Session } from './gateway-state.ts'
import { listedMembers } from './listed-members.ts'
import { type Listeners, listeners } from './listeners.ts'
import { longestWaitMs, type Next, nextAfter, waitBefore } from './reconnecting.ts'

export type GatewayOptions = {
  /** The address of the server, as for `Api`: `https://chat.example.org`; in a browser `''` is the server of the page. */
  address: string
  token: string
  /** The session to resume first. */
  session?: Session | undefined
  /** By default true. false: no extended events and no heartbeat acknowledgements (docs/gateway.md#rules-of-a-connection). */
  extended?: boolean
  /** By default false. true: the server compresses what it sends, where `DecompressionStream` exists. */
  compressed?: boolean
  /** Replaces the global `WebSocket`. */
  WebSocket?: typeof WebSocket
}

/** After a connection that was ready for so long, the wait before the next attempt starts at its minimum again. */
const stableAfterMs = 10_000

/**
 * A client of the gateway: logs in, and resumes or logs in again after a lost connection (docs/client.md#the-gateway).
 *
 *     const gateway = new Gateway({ address, token })
 *     gateway.on('MESSAGE_CREATE', (message) => …)
 *     gateway.connect()
 *
 * or `for await (const event of gateway)`. Every further login sends another INIT_STATE, which replaces all known state.
 */
export class Gateway {
  readonly #options: Required<Omit<GatewayOptions, 'session'>>
  readonly #onEvent: Listeners<GatewayEvent> = listeners()
  readonly #onState: Listeners<GatewayState> = listeners()
  #state: GatewayState = { name: 'closed' }
  #session: Session | undefined
  /** A login of which HOUSE_JOINs are missing. It cannot be resumed, because a resume does not repeat them. */
  #login: { session_id: string; missingHouses: Set<string> } | undefined
  #connection: Connection | undefined
  #waiting: ReturnType<typeof setTimeout> | undefined
  #attempt = 0
  #readySince: number | undefined
  #watched: string[] = []
  readonly #listedMembers = listedMembers()
  /** Whether the present connection has received the hello. */
  #isGreeted = false

  constructor({ session, ...options }: GatewayOptions) {
    this.#options = { extended: true, compressed: false, WebSocket: globalThis.WebSocket, ...options }
    this.#session = session && { ...session }
  }

  get state(): GatewayState {
    return this.#state
  }

  /** The session that the next connection resumes, if any. */
  get session(): Session | undefined {
    return this.#session && { ...this.#session }
  }

  /** Connects, if the state is `closed`. */
  connect(): void {
    if (this.#state.name === 'closed') this.#open()
  }

  /** Closes the connection and ends iterators. A later `connect` resumes the session. */
  close(): void {
    this.#stop()
    if (this.#state.name !== 'closed') this.#setState({ name: 'closed' })
  }

  /** Ends a wait and connects at once; if connected, probes the connection. */
  reconnectNow(): void {
    if (this.#state.name === 'waiting') this.#open()
    else this.#connection?.probe()
  }

  /** Adds a listener for the payloads of one kind of event. Returns a function that removes it. */
  on<Name extends EventName>(name: Name, listener: (d: Events[Name]) => void): () => void {
    return this.#onEvent.add((event) => {
      if (event.e === name) listener(event.d as Events[Name])
    })
  }

  /** Adds a listener for all events. Returns a function that removes it. */
  onEvent(listener: (event: GatewayEvent) => void): () => void {
    return this.#onEvent.add(listener)
  }

  /** Adds a listener for changes of the state. Returns a function that removes it. */
  onState(listener: (state: GatewayState) => void): () => void {
    return this.#onState.add(listener)
  }

  /**
   * All events from now on. Connects if the state is `closed`, ends when `close` is called, and throws `GatewayRefused` if
   * the server refuses the token.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<GatewayEvent> {
    const events = eventIterator(this)
    this.connect()
    return events
  }

  /** Subscribes to the presence of these users (at most 1,000) in place of the former list; repeated after a reconnect. */
  watchPresence(userIds: string[]): void {
    this.#watched = userIds
    if (this.#state.name === 'ready') this.#connection?.send({ op: 6, d: { user_ids: userIds } })
  }

  /** Requests members of a house, all if no ids are given. The response is HOUSE_MEMBERS_CHUNK events. */
  requestMembers(houseId: string, userIds: string[] = []): void {
    this.#connection?.send({ op: 7, d: { house_id: houseId, user_ids: userIds } })
  }

  /** Whether HOUSE_JOIN has listed all members of a house, so that `requestMembers` would bring no further ones. */
  hasAllMembers(houseId: string): boolean {
    return this.#listedMembers.has(houseId)
  }

  #open(): void {
    this.#stop()
    this.#isGreeted = false
    const { address, WebSocket, extended, compressed } = this.#options
    this.#setState({ name: 'connecting' })
    this.#connection = openConnection({
      url: socketUrl(address, compressed),
      WebSocket,
      expectsAcks: extended,
      onHello: () => this.#logIn(),
      onEvent: (event, bytes) => {
        this.#listedMembers.note(event, bytes)
        this.#handle(event)
      },
      onEnd: (code, reason) => this.#reconnect(code, reason),
    })
  }

  #logIn(): void {
    this.#isGreeted = true
    const { token, extended } = this.#options
    const d = { token, ...(extended && { extended }) }
    if (this.#session) this.#connection?.send({ op: 11, d: { ...d, ...this.#session } })
    else this.#connection?.send({ op: 2, d })
  }

  #handle(event: GatewayEvent): void {
    if (event.e === 'INIT_STATE') {
      this.#login = { session_id: event.d.session_id, missingHouses: new Set(event.d.house_ids) }
    }
    const login = this.#login
    if (event.e === 'HOUSE_JOIN') login?.missingHouses.delete(event.d.id)
    this.#onEvent.call(event)
    if (this.#session) this.#session.seq = event.seq
    if (login?.missingHouses.size === 0) {
      this.#session = { session_id: login.session_id, seq: event.seq }
      this.#login = undefined
      this.#becomeReady()
    } else if (event.e === 'RESUMED') this.#becomeReady()
  }

  #becomeReady(): void {
    // A listener may have closed the gateway.
    if (this.#state.name !== 'connecting') return
    this.#readySince = performance.now()
    if (this.#watched.length > 0) this.#connection?.send({ op: 6, d: { user_ids: this.#watched } })
    this.#setState({ name: 'ready' })
  }

  #reconnect(code: number, reason: string): void {
    const next = nextAfter(code, reason)
    if (this.#readySince !== undefined && performance.now() - this.#readySince > stableAfterMs)
      this.#attempt = 0
    this.#stop()
    if (next === 'log in' || next === 'log in at once') this.#session = undefined
    if (next === 'stop') this.#setState({ name: 'closed', code, reason })
    else if (next === 'log in at once') this.#open()
    else this.#wait(next, code, reason)
  }

  #wait(next: Next, code: number, reason: string): void {
    const waitMs = next === 'wait long' ? longestWaitMs : waitBefore(this.#attempt)
    this.#attempt += 1
    this.#waiting = setTimeout(() => this.#open(), waitMs)
    const until = Date.now() + waitMs
    this.#setState({ name: 'waiting', until, code, reason, greeted: this.#isGreeted })
  }

  /** Closes the connection and ends a wait, without a change of the state. */
  #stop(): void {
    clearTimeout(this.#waiting)
    this.#connection?.close()
    this.#connection = undefined
    this.#login = undefined
    this.#readySince = undefined
  }

  #setState(state: GatewayState): void {
    this.#state = state
    this.#onState.call(state)
  }
}
