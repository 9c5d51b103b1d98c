import type { FastifyBaseLogger } from 'fastify'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import type { SerialQueue } from '../concurrency/serial-queue.ts'
import type { Db } from '../database/client.ts'
import type { Bus } from '../events/bus.ts'
import type { DeliveryWeights } from '../http/load/delivery-weights.ts'
import type { TokenBuckets } from '../http/load/token-buckets.ts'
import type { WaitingEvents } from './delivery/waiting-events.ts'
import type { Refusals } from './refusals.ts'
import type { Session } from './sessions/session.ts'
import type { SessionRegistry } from './sessions/session-registry.ts'
import type { GatewaySettings } from './settings.ts'
import type { Connection } from './transport/connection.ts'
import type { Shares } from './transport/shares.ts'

/** What the parts of the gateway share. */
export type GatewayContext = {
  readonly db: Db
  readonly bus: Bus
  readonly log: FastifyBaseLogger
  readonly settings: GatewaySettings
  /** The public address of the server. */
  readonly origin: () => string
  readonly registry: SessionRegistry
  /** Events, one after another. */
  readonly deliveries: SerialQueue
  readonly waitingEvents: WaitingEvents
  /** Logins and resumes, one of a user at a time. */
  readonly logins: FairQueue
  /** The reads of logins and resumes. Here and below, people take turns: a user and their bots share one. */
  readonly loginReads: FairQueue
  /** The reads of houses for logins: those who log in to the same house at a time share them. */
  readonly houseReads: FairQueue
  /** The reads of op 6 and op 7. */
  readonly memberReads: FairQueue
  readonly shares: Shares
  readonly weights: DeliveryWeights
  /** The bytes that op 6 and op 7 send, and those of the rooms that resumes read, by person. */
  readonly answeredBytes: TokenBuckets
  readonly refusals: Refusals
  readonly addFailedLogin: (address: string) => void
  /** Assigns a session to its connection: the user is online, and the client may send requests. */
  readonly attach: (connection: Connection, session: Session) => void
}
