import type { FastifyBaseLogger } from 'fastify'
import { findCaller } from '../auth/queries.ts'
import { hashTokenHex, readToken } from '../auth/tokens.ts'
import type { Db } from '../db/client.ts'
import { onceRead } from '../deadline.ts'
import type { Bus } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import { createQueue, type Queue } from '../queue.ts'
import type { CloseReason } from './close-codes.ts'
import type { ClientFrame, Connection } from './connection.ts'
import { dispatch, type Fact } from './dispatch.ts'
import type { FailedLogins } from './failed-logins.ts'
import { Hub } from './hub.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { tellState } from './login.ts'
import type { MessageOrder } from './message-order.ts'
import { orderMessages } from './missing-messages.ts'
import { type Attendance, createAttendance } from './presence.ts'
import { createPresenceBatches, type PresenceBatches } from './presence-batches.ts'
import { orderProfiles } from './profile-order.ts'
import { listMembersFor, watchPresences } from './requests.ts'
import { retryWhileBusy } from './retry.ts'
import { Session } from './session.ts'
import type { GatewaySettings } from './settings.ts'

const opcodes = { logIn: 2, watchPresences: 6, listMembers: 7, resume: 11 } as const

/** So many states are read from the database at a time, however many log in at once; the others wait. */
const loginsAtOnce = 16
/** A client may ask for so much before it is answered. */
const maxWaitingRequests = 20

type GatewayParts = {
  db: Db
  bus: Bus
  log: FastifyBaseLogger
  settings: GatewaySettings
  failedLogins: FailedLogins
  /** The server's public address. */
  origin: () => string
}

/** What one connection is doing. */
type Client = { stage: 'new' | 'busy' | 'in'; session: Session | undefined }

/** Connections and the sessions they carry: who logs in, resumes, asks, leaves. */
export class Gateway {
  readonly db: Db
  readonly settings: GatewaySettings
  readonly origin: () => string
  readonly log: FastifyBaseLogger
  readonly hub = new Hub()
  readonly lanes: Lanes = createLanes()
  readonly presences: PresenceBatches = createPresenceBatches((fact) => this.dispatch(fact))
  /** What a login reads. */
  readonly inTurn: Queue = createQueue({ atOnce: loginsAtOnce, waiting: Number.POSITIVE_INFINITY })
  readonly failedLogins: FailedLogins
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

  dispatch(fact: Fact): void | Promise<void> {
    return dispatch(this, fact)
  }

  /** A connection is there: it has had its hello. */
  open(connection: Connection): void {
    this.#clients.set(connection, { stage: 'new', session: undefined })
  }

  /** A connection is gone. Its session can be resumed, unless it was ended or never came to be. */
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

  /** Somebody is no more: they are not online, though their connections may take a while to close. */
  forget(userId: string): void {
    this.#attendance.forget(userId)
  }

  frame(connection: Connection, { op, d }: ClientFrame): void {
    const client = this.#clients.get(connection)
    if (!client) return
    if (client.stage === 'new' && (op === opcodes.logIn || op === opcodes.resume)) {
      client.stage = 'busy'
      const work =
        op === opcodes.logIn ? this.#logIn(connection, client, d) : this.#resume(connection, client, d)
      void work.catch((error: unknown) => this.#fail(connection, client, error))
    }
    if (client.stage !== 'in' || !client.session) return
    if (op === opcodes.watchPresences)
      this.#ask(client.session, () => watchPresences(this, client.session!, d))
    if (op === opcodes.listMembers) this.#ask(client.session, () => listMembersFor(this, client.session!, d))
  }

  /** Closes everything, after what is queued was written or the time is up. */
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

  async #logIn(connection: Connection, client: Client, d: unknown): Promise<void> {
    const { token, extended } = (d ?? {}) as { token?: unknown; extended?: unknown }
    const login = await this.#whoIs(connection, token)
    if (!login) return this.#refuse(connection)
    if (!connection.isOpen) return
    const { caller, hash } = login
    if (this.#hasTooMany(caller.id)) return connection.close('too_many')
    const session = new Session(caller, extended === true, connection)
    connection.acknowledges = session.extended
    client.session = session
    client.stage = 'in'
    this.hub.add(session)
    this.#attendance.arrive(caller.id)
    if (!(await tellState(this, session, hash))) this.end(session, 'invalid_token')
  }

  async #resume(connection: Connection, client: Client, d: unknown): Promise<void> {
    const { session_id, seq, token } = (d ?? {}) as { session_id?: unknown; seq?: unknown; token?: unknown }
    const login = await this.#whoIs(connection, token)
    if (!login) return this.#refuse(connection)
    if (!connection.isOpen) return
    const session = typeof session_id === 'string' ? this.hub.sessions.get(session_id) : undefined
    const fits = session?.isTold && session.loginSessionId === login.caller.session_id
    if (!fits || !Number.isInteger(seq) || !session.canReplay(seq as number)) {
      return connection.close('cannot_resume')
    }
    const former = session.connection
    if (!former?.isOpen && this.#hasTooMany(session.userId)) return connection.close('too_many')
    session.connection = undefined
    former?.close('taken_over')
    this.hub.detached.delete(session)
    client.session = session
    client.stage = 'in'
    this.#attendance.arrive(session.userId)
    session.resume(connection, seq as number)
  }

  #hasTooMany(userId: string): boolean {
    const connected = this.hub.ofUser(userId).filter((one) => one.connection?.isOpen)
    return connected.length >= this.settings.maxConnectionsPerUser
  }

  async #whoIs(connection: Connection, token: unknown) {
    const read = typeof token === 'string' ? readToken(token) : undefined
    if (read === undefined) return undefined
    const hash = hashTokenHex(read)
    const isWanted = () => connection.isOpen
    const caller = await retryWhileBusy(this.db, isWanted, () => findCaller(this.db, hash))
    return caller && { caller, hash }
  }

  #refuse(connection: Connection): void {
    this.failedLogins.add(connection.address)
    connection.close('invalid_token')
  }

  /** One after the other, and after the login. */
  #ask(session: Session, work: () => Promise<void>): void {
    if (session.waitingRequests >= maxWaitingRequests) return
    session.waitingRequests += 1
    const run = () => {
      session.requests = session.requests
        .then(work)
        .catch((error: unknown) => {
          this.log.error({ err: error }, 'a request on the gateway failed')
          this.end(session, 'internal_error')
        })
        .finally(() => {
          session.waitingRequests -= 1
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
