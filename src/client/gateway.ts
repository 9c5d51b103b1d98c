import { type Connection, openConnection } from './connection.ts'
import { eventIterator } from './event-iterator.ts'
import type { EventName, Events, GatewayEvent } from './events.ts'
import type { GatewayState, Session } from './gateway-state.ts'
import { type Listeners, listeners } from './listeners.ts'
import { longestWaitMs, type Next, nextAfter, waitBefore } from './reconnecting.ts'

export type GatewayOptions = {
  /** The server's, as for `Api`: `https://chat.example.org`, in a browser `''` for the page's own. */
  address: string
  token: string
  /** Resumes this one at first. */
  session?: Session | undefined
  /** Without the events that older clients do not know, and without heartbeat acks: false. */
  extended?: boolean
  /** Instead of the global one. */
  WebSocket?: typeof WebSocket
}

/** A connection that lasted so long was a good one: the next wait is short again. */
const steadyMs = 10_000

/**
 * The gateway of a Hearth server: logs in, stays connected, and resumes or logs in again when the connection is lost.
 *
 *     const gateway = new Gateway({ address, token })
 *     gateway.on('MESSAGE_CREATE', (message) => …)
 *     gateway.connect()
 *
 * or `for await (const event of gateway)`. After a login that is not the first there is another INIT_STATE: what was
 * known is to be replaced by it.
 */
export class Gateway {
  readonly #options: Required<Omit<GatewayOptions, 'session'>>
  readonly #onEvent: Listeners<GatewayEvent> = listeners()
  readonly #onState: Listeners<GatewayState> = listeners()
  #state: GatewayState = { name: 'closed' }
  #session: Session | undefined
  /** A login whose houses have not all come: it cannot be resumed, as they are not sent again. */
  #login: { session_id: string; missingHouses: Set<string> } | undefined
  #connection: Connection | undefined
  #waiting: ReturnType<typeof setTimeout> | undefined
  #attempt = 0
  #readySince: number | undefined
  #watched: string[] = []

  constructor({ session, ...options }: GatewayOptions) {
    this.#options = { extended: true, WebSocket: globalThis.WebSocket, ...options }
    this.#session = session && { ...session }
  }

  get state(): GatewayState {
    return this.#state
  }

  /** What to resume, if there is something. */
  get session(): Session | undefined {
    return this.#session && { ...this.#session }
  }

  /** Begins, unless it has begun. */
  connect(): void {
    if (this.#state.name === 'closed') this.#open()
  }

  /** Ends the connection for good; iterators end too. `connect` begins anew and resumes. */
  close(): void {
    this.#stop()
    if (this.#state.name !== 'closed') this.#enter({ name: 'closed' })
  }

  /** Connects at once instead of waiting; a connection that is there is asked whether it still is. */
  reconnectNow(): void {
    if (this.#state.name === 'waiting') this.#open()
    else this.#connection?.probe()
  }

  /** Calls the listener with the payload of each event of the name. Gives what removes it. */
  on<Name extends EventName>(name: Name, listener: (d: Events[Name]) => void): () => void {
    return this.#onEvent.add((event) => {
      if (event.e === name) listener(event.d as Events[Name])
    })
  }

  /** Calls the listener with every event. Gives what removes it. */
  onEvent(listener: (event: GatewayEvent) => void): () => void {
    return this.#onEvent.add(listener)
  }

  /** Calls the listener with every new state. Gives what removes it. */
  onState(listener: (state: GatewayState) => void): () => void {
    return this.#onState.add(listener)
  }

  /** All events from now on. Ends when the gateway is closed, and throws `GatewayRefused` when the server refuses it. */
  [Symbol.asyncIterator](): AsyncIterableIterator<GatewayEvent> {
    return eventIterator(this)
  }

  /** Receives the presence of these users (at most 1,000) instead of those before; also on later connections. */
  watchPresence(userIds: string[]): void {
    this.#watched = userIds
    if (this.#state.name === 'ready') this.#connection?.send({ op: 6, d: { user_ids: userIds } })
  }

  /** Asks for members of a house, all without ids: HOUSE_MEMBERS_CHUNK events answer. */
  requestMembers(houseId: string, userIds: string[] = []): void {
    this.#connection?.send({ op: 7, d: { house_id: houseId, user_ids: userIds } })
  }

  #open(): void {
    this.#stop()
    const { address, WebSocket, extended } = this.#options
    this.#enter({ name: 'connecting' })
    this.#connection = openConnection({
      url: socketUrl(address),
      WebSocket,
      expectsAcks: extended,
      onHello: () => this.#logIn(),
      onEvent: (event) => this.#handle(event),
      onEnd: (code, reason) => this.#reconnect(code, reason),
    })
  }

  #logIn(): void {
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
    // A listener may have closed it.
    if (this.#state.name !== 'connecting') return
    this.#readySince = performance.now()
    if (this.#watched.length > 0) this.#connection?.send({ op: 6, d: { user_ids: this.#watched } })
    this.#enter({ name: 'ready' })
  }

  #reconnect(code: number, reason: string): void {
    const next = nextAfter(code, reason)
    if (this.#readySince !== undefined && performance.now() - this.#readySince > steadyMs) this.#attempt = 0
    this.#stop()
    if (next === 'log in' || next === 'log in at once') this.#session = undefined
    if (next === 'stop') this.#enter({ name: 'closed', code, reason })
    else if (next === 'log in at once') this.#open()
    else this.#wait(next, code, reason)
  }

  #wait(next: Next, code: number, reason: string): void {
    const waitMs = next === 'wait long' ? longestWaitMs : waitBefore(this.#attempt)
    this.#attempt += 1
    this.#waiting = setTimeout(() => this.#open(), waitMs)
    this.#enter({ name: 'waiting', until: Date.now() + waitMs, code, reason })
  }

  /** Leaves connection and wait. */
  #stop(): void {
    clearTimeout(this.#waiting)
    this.#connection?.close()
    this.#connection = undefined
    this.#login = undefined
    this.#readySince = undefined
  }

  #enter(state: GatewayState): void {
    this.#state = state
    this.#onState.call(state)
  }
}

function socketUrl(address: string): string {
  const { location } = globalThis as { location?: { origin: string } }
  const origin = address === '' && location ? location.origin : address
  return `${origin.replace(/^http/, 'ws').replace(/\/+$/, '')}/v1/socket`
}
