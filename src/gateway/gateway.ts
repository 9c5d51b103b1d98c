import { setTimeout as pause } from 'node:timers/promises'
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.ts'
import { createSerialQueue } from '../concurrency/serial-queue.ts'
import { afterPendingIo } from '../concurrency/stall-tolerant-timeout.ts'
import type { HearthEvent } from '../events/events.ts'
import { DeliveryWeights } from '../http/load/delivery-weights.ts'
import { TokenBuckets } from '../http/load/token-buckets.ts'
import type { GatewayContext } from './context.ts'
import { dispatch } from './delivery/dispatch.ts'
import { WaitingEvents } from './delivery/waiting-events.ts'
import type { PresenceTracker } from './presence/presence-tracker.ts'
import { Refusals } from './refusals.ts'
import { openSession } from './sessions/open-session.ts'
import { handleRequest } from './sessions/requests.ts'
import type { Session } from './sessions/session.ts'
import { SessionRegistry } from './sessions/session-registry.ts'
import type { ClientFrame } from './transport/client-frame.ts'
import { type CloseReason, closeCodes } from './transport/close-codes.ts'
import type { Connection } from './transport/connection.ts'
import { opcode } from './transport/frames.ts'
import { Shares } from './transport/shares.ts'

const loginsReadAtOnce = 16
const housesReadAtOnce = 64
const membersReadAtOnce = 4
/** How often the shares of people and addresses without connections are forgotten. */
const forgetEveryMs = 60_000

/** `login` is that of a connection that logs in or resumes, `session` that of one with a session. */
type Client = { isLoggingIn: boolean; session: Session | undefined }

type GatewayParts = Pick<GatewayContext, 'db' | 'bus' | 'log' | 'settings' | 'origin' | 'addFailedLogin'> & {
  presences: PresenceTracker
}

/** The connections of this process, and the sessions on them. */
export class Gateway {
  readonly context: GatewayContext
  readonly #presences: PresenceTracker
  readonly #clients = new Map<Connection, Client>()
  /** Connections without a session, by address. */
  readonly #unauthenticated = new Map<string, number>()
  /** By address. */
  readonly #endedEarly: TokenBuckets
  /** The connections that this process has closed, by reason. */
  readonly closes = new Map([...Object.keys(closeCodes), 'protocol_error'].map((reason) => [reason, 0]))
  #forgotMs = 0
  readonly #unsubscribe: () => void
  readonly #sweep: NodeJS.Timeout
  #stopped: Promise<void> | undefined

  constructor({ presences, ...parts }: GatewayParts) {
    const { bus, settings } = parts
    this.context = {
      ...parts,
      registry: new SessionRegistry(bus.progress.position),
      deliveries: createSerialQueue(),
      waitingEvents: new WaitingEvents(settings.joinEventsForMs),
      logins: fairQueue(Number.POSITIVE_INFINITY),
      loginReads: fairQueue(loginsReadAtOnce),
      houseReads: fairQueue(housesReadAtOnce),
      memberReads: fairQueue(membersReadAtOnce),
      shares: new Shares(settings),
      weights: new DeliveryWeights(settings.deliveredBytes),
      answeredBytes: new TokenBuckets(settings.answeredBytes),
      refusals: new Refusals(),
      attach: (connection, session) => this.#attach(connection, session),
    }
    this.#presences = presences
    this.#endedEarly = new TokenBuckets(settings.endedEarly)
    this.#unsubscribe = bus.subscribe((event, position) => this.#receive(event, position))
    const sweep = () => {
      // What comes after this moment may lie unread, should the process stand still before the check.
      const readUpToMs = performance.now()
      afterPendingIo(() => this.#checkClients(readUpToMs))
    }
    this.#sweep = setInterval(sweep, settings.sweepEveryMs).unref()
  }

  get registry(): SessionRegistry {
    return this.context.registry
  }

  /** The bytes that the changes of each person have delivered. */
  get weights(): DeliveryWeights {
    return this.context.weights
  }

  get refusals(): Refusals {
    return this.context.refusals
  }

  get connectionCount(): number {
    return this.#clients.size
  }

  /** Connections of an address that are not logged in. */
  countUnauthenticated(address: string): number {
    return this.#unauthenticated.get(address) ?? 0
  }

  /** The time in ms for which upgrades of an address are refused, as many of its connections have ended before a login. */
  waitAfterEarlyEndsMs(address: string): number {
    return this.#endedEarly.waitMs(address)
  }

  /** Adds a connection, to which the hello was sent. */
  open(connection: Connection): void {
    this.#clients.set(connection, { isLoggingIn: false, session: undefined })
    this.#unauthenticated.set(connection.address, this.countUnauthenticated(connection.address) + 1)
    this.context.shares.open(connection)
  }

  #attach(connection: Connection, session: Session): void {
    this.#clients.get(connection)!.session = session
    this.#discount(connection)
    this.context.shares.logIn(connection, session.personId)
    this.#presences.arrive(session.userId)
  }

  #discount({ address }: Connection): void {
    const left = this.countUnauthenticated(address) - 1
    if (left > 0) this.#unauthenticated.set(address, left)
    else this.#unauthenticated.delete(address)
  }

  /**
   * Counts a connection that this process closes. One that has sent too much, or something that is no websocket frame,
   * counts against its person; before the login, it counts as a failed login of its address.
   */
  closing(connection: Connection, reason: CloseReason | 'protocol_error'): void {
    this.closes.set(reason, (this.closes.get(reason) ?? 0) + 1)
    const isHostile = reason === 'rate_limit' || reason === 'protocol_error'
    if (!isHostile) return
    const session = this.#clients.get(connection)?.session
    if (session) this.context.shares.noteRefusal(session.personId)
    else this.context.addFailedLogin(connection.address)
  }

  /** Removes a connection that was closed, with its session. */
  closed(connection: Connection): void {
    const client = this.#clients.get(connection)
    if (!client) return
    this.#clients.delete(connection)
    connection.countIn([])
    if (client.session) this.#detach(client.session)
    else this.#discount(connection)
    if (!client.isLoggingIn) this.#endedEarly.charge(connection.address, 1)
  }

  #detach(session: Session): void {
    this.#presences.leave(session.userId, this.context.settings.offlineAfterMs)
    this.registry.remove(session)
  }

  frame(connection: Connection, frame: ClientFrame): void {
    const client = this.#clients.get(connection)
    if (!client) return
    if (client.session) handleRequest(this.context, client.session, frame)
    const isLogin = frame.op === opcode.logIn || frame.op === opcode.resume
    if (client.isLoggingIn || !isLogin) return
    client.isLoggingIn = true
    connection.beginLogin()
    void openSession(this.context, connection, frame).catch((error: unknown) => {
      this.context.log.error({ err: error }, 'a login on the gateway failed')
      if (client.session) this.registry.end(client.session, 'internal_error')
      else connection.close('internal_error')
    })
  }

  #receive(event: HearthEvent, position: number | undefined): void | Promise<void> {
    if (event.type === 'account_deleted') this.#presences.forget(event.user_id)
    if (event.type === 'events_lost') return this.#endAll()
    if (event.type === 'sessions_ended') this.#endLogins(new Set(event.session_ids))
    return dispatch(this.context, event, position)
  }

  #endLogins(loginSessionIds: ReadonlySet<string>): void {
    for (const session of [...this.registry.sessions.values()])
      if (loginSessionIds.has(session.loginSessionId)) this.registry.end(session, 'invalid_token')
  }

  /** Ends all sessions, as each may have missed something: their clients log in again. */
  #endAll(): void {
    this.context.log.warn('events were lost')
    this.registry.position = this.context.bus.progress.position
    for (const session of [...this.registry.sessions.values()]) this.registry.end(session, 'internal_error')
  }

  /** Whether new connections are refused. */
  get isStopping(): boolean {
    return this.#stopped !== undefined
  }

  /** Closes each connection once the events of answered requests are delivered and written, or after `stopWithinMs`. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    clearInterval(this.#sweep)
    const { deliveries, settings } = this.context
    const deadline = performance.now() + settings.stopWithinMs
    await Promise.race([deliveries(() => {}), pause(settings.stopWithinMs / 5, undefined, { ref: false })])
    for (const connection of [...this.#clients.keys()]) connection.close('going_away')
    while (this.#clients.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    for (const connection of this.#clients.keys()) connection.terminate()
    this.#unsubscribe()
  }

  #checkClients(nowMs: number): void {
    if (nowMs - this.#forgotMs >= forgetEveryMs) {
      this.#forgotMs = nowMs
      this.context.shares.forgetUnused(nowMs)
    }
    for (const [connection, client] of this.#clients) {
      const isLate = nowMs - connection.openedAtMs >= this.context.settings.loginTimeoutMs
      if (isLate && !client.isLoggingIn) connection.close('login_timeout')
      else connection.checkAlive(nowMs)
    }
  }
}

/** A fair queue without a bound on waiting work. */
function fairQueue(atOnce: number): FairQueue {
  return createFairQueue({ atOnce, waiting: Number.POSITIVE_INFINITY })
}
