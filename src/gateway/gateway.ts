import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/client.ts'
import { onceRead } from '../deadline.ts'
import type { Bus } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import { createQueue, type Queue } from '../queue.ts'
import { type Attendance, createAttendance } from './attendance.ts'
import { logIn, resume } from './authentication.ts'
import type { CloseReason } from './close-codes.ts'
import type { ClientFrame, Connection } from './connection.ts'
import { dispatch, type Fact } from './dispatch.ts'
import type { FailedLogins } from './failed-logins.ts'
import { Hub } from './hub.ts'
import { createLanes, type Lanes } from './lanes.ts'
import type { MessageOrder } from './message-order.ts'
import { orderMessages } from './missing-messages.ts'
import { createPresenceBatches, type PresenceBatches } from './presence-batches.ts'
import { orderProfiles } from './profile-order.ts'
import { type Asked, listMembersFor, readAsked, watchPresences } from './requests.ts'
import type { Session } from './session.ts'
import type { GatewaySettings } from './settings.ts'

const opcodes = { logIn: 2, watchPresences: 6, listMembers: 7, resume: 11 } as const

/** However many clients log in at once, only so many states are read from the database at a time. */
const loginsAtOnce = 16
/**
 * The ids in requests of a client that wait for an answer, where each request counts as some more: past this, requests
 * are ignored. As many as a client may send in a minute fit, if they do not name hundreds each.
 */
const maxWaitingIds = 60_000
const idsPerRequest = 100

type GatewayParts = {
  db: Db
  bus: Bus
  log: FastifyBaseLogger
  settings: GatewaySettings
  failedLogins: FailedLogins
  /** The server's public address. */
  origin: () => string
}

type Answer = (gateway: Gateway, session: Session, asked: Asked) => Promise<void>

/** What a connection is doing: not logged in, logging in or resuming, or logged in. */
type Client = { stage: 'new' | 'busy' | 'in'; session: Session | undefined }

/** The connections of this process, and the sessions that they carry. */
export class Gateway {
  readonly db: Db
  readonly settings: GatewaySettings
  readonly origin: () => string
  readonly log: FastifyBaseLogger
  readonly hub = new Hub()
  readonly lanes: Lanes = createLanes()
  readonly presences: PresenceBatches = createPresenceBatches((fact) => this.dispatch(fact))
  /** The queue for what logins read from the database. */
  readonly loginReads: Queue = createQueue({ atOnce: loginsAtOnce, waiting: Number.POSITIVE_INFINITY })
  readonly failedLogins: FailedLogins
  readonly #bus: Bus
  readonly #attendance: Attendance
  readonly #clients = new Map<Connection, Client>()
  readonly #unsubscribe: () => void
  readonly #sweep: NodeJS.Timeout
  readonly #messageOrder: MessageOrder
  readonly #dispatchInOrder = orderProfiles((event) => this.dispatch(event))

  constructor(parts: GatewayParts) {
    this.db = parts.db
    this.log = parts.log
    this.settings = parts.settings
    this.failedLogins = parts.failedLogins
    this.#bus = parts.bus
    this.#attendance = createAttendance(parts.settings.offlineAfterMs, (userId, presence) =>
      parts.bus.setPresence(userId, presence),
    )
    this.origin = parts.origin
    this.#messageOrder = orderMessages(this)
    this.#unsubscribe = parts.bus.subscribe((event) => this.#hear(event))
    this.#sweep = setInterval(() => onceRead(() => this.#lookOver()), parts.settings.sweepEveryMs).unref()
  }

  /** How many connections there are. */
  get connectionCount(): number {
    return this.#clients.size
  }

  /** Whether events of other processes come too, which may be later than what happened after them. */
  get hearsLate(): boolean {
    return this.#bus.isShared
  }

  dispatch(fact: Fact): void | Promise<void> {
    return dispatch(this, fact)
  }

  /** Takes a new connection, which has been sent its hello. */
  open(connection: Connection): void {
    this.#clients.set(connection, { stage: 'new', session: undefined })
  }

  /** A connection now carries a session: its user is online, and its client may make requests. */
  attach(connection: Connection, session: Session): void {
    const client = this.#clients.get(connection)!
    client.session = session
    client.stage = 'in'
    this.#attendance.arrive(session.userId)
  }

  /** A connection is gone. Its session can be resumed, unless it has ended or its login was not finished. */
  closed(connection: Connection, code: number | undefined): void {
    const client = this.#clients.get(connection)
    this.#clients.delete(connection)
    const session = client?.session
    if (!session) return
    this.#attendance.leave(session.userId)
    if (session.connection !== connection) return
    session.connection = undefined
    if (code === 1000 || !session.isTold) this.hub.remove(session)
    if (!this.hub.has(session)) return
    this.hub.detached.add(session)
    const theirs = this.hub.ofUser(session.userId)
    for (const due of this.hub.detached.dueOf(theirs, this.settings)) this.hub.remove(due)
  }

  /** Ends a session and its connection. */
  end(session: Session, reason: CloseReason): void {
    this.hub.remove(session)
    session.connection?.close(reason)
  }

  /** Ends all sessions, since each may have missed something: their clients log in again. */
  endAll(): void {
    this.log.warn('events of another process were lost')
    this.#messageOrder.startAgain()
    for (const session of [...this.hub.sessions.values()]) this.end(session, 'internal_error')
  }

  /** An account was deleted: its user is offline at once, though the connections may take a while to close. */
  forget(userId: string): void {
    this.#attendance.forget(userId)
    this.#bus.forgetPresence(userId)
  }

  frame(connection: Connection, { op, d }: ClientFrame): void {
    const client = this.#clients.get(connection)
    if (!client) return
    if (client.stage === 'new' && (op === opcodes.logIn || op === opcodes.resume)) {
      client.stage = 'busy'
      connection.beginLogin()
      const work = op === opcodes.logIn ? logIn(this, connection, d) : resume(this, connection, d)
      void work.catch((error: unknown) => this.#fail(connection, client, error))
    }
    if (client.stage !== 'in' || !client.session) return
    if (op === opcodes.watchPresences) this.#ask(client.session, d, watchPresences)
    if (op === opcodes.listMembers) this.#ask(client.session, d, listMembersFor)
  }

  /** Closes every connection as soon as its queue is written, or when the time is up. */
  async stop(): Promise<void> {
    clearInterval(this.#sweep)
    const closing = [...this.#clients.keys()]
    for (const connection of closing) connection.close('going_away')
    const deadline = performance.now() + this.settings.stopWithinMs
    while (this.#clients.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    for (const connection of this.#clients.keys()) connection.terminate()
    this.#unsubscribe()
    this.#messageOrder.stop()
    this.#attendance.stop()
  }

  #hear(event: HearthEvent): void | Promise<void> {
    const isOfMessage =
      event.type === 'message_created' || event.type === 'message_updated' || event.type === 'message_deleted'
    if (isOfMessage) return this.#messageOrder.pass(event)
    return this.#dispatchInOrder(event)
  }

  /** Carries out the requests of a client one after the other, once its login is over. */
  #ask(session: Session, d: unknown, answer: Answer): void {
    const asked = readAsked(d)
    if (!asked) return
    const ids = asked.ids.length + idsPerRequest
    if (session.waitingIds + ids > maxWaitingIds) return
    session.waitingIds += ids
    const run = () => {
      session.requests = session.requests
        .then(() => answer(this, session, asked))
        .catch((error: unknown) => {
          this.log.error({ err: error }, 'a request on the gateway failed')
          this.end(session, 'internal_error')
        })
        .finally(() => {
          session.waitingIds -= ids
        })
    }
    if (session.held) session.hold(run)
    else run()
  }

  #fail(connection: Connection, client: Client, error: unknown): void {
    this.log.error({ err: error }, 'a login on the gateway failed')
    if (client.session) this.end(client.session, 'internal_error')
    else connection.close('internal_error')
  }

  #lookOver(): void {
    const now = performance.now()
    this.#messageOrder.sweep(now)
    for (const [connection, client] of this.#clients) {
      if (client.stage === 'new' && now - connection.openedAtMs >= this.settings.loginTimeoutMs) {
        connection.close('login_timeout')
      } else {
        connection.checkLife(now)
      }
    }
    for (const session of this.hub.detached.due(this.settings)) this.hub.remove(session)
  }
}
