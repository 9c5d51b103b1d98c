import type { Socket } from 'node:net'
import pg from 'pg'
import { waitAtMost } from '../deadline.ts'
import { DatabaseAway } from './away.ts'

/** Replaces `connectionTimeoutMillis`, which fires too early when the process itself is late (`deadline.ts`). */
export type TimedConfig = pg.ClientConfig & { connectWithinMs?: number }

const defaultConnectWithinMs = 2_000

type ConnectCallback = (error: Error) => void

/** A `pg` client that gives up connecting after a while. */
export class TimedClient extends pg.Client {
  readonly #connectWithinMs: number

  constructor(config: TimedConfig = {}) {
    super(config)
    this.#connectWithinMs = config.connectWithinMs ?? defaultConnectWithinMs
  }

  /** The id of the PostgreSQL process that serves this connection. */
  get pid(): number | null {
    return insidesOf(this).processID
  }

  override connect(): Promise<this>
  override connect(callback: ConnectCallback): void
  // biome-ignore lint/suspicious/noConfusingVoidType: as pg declares it
  override connect(callback?: ConnectCallback): Promise<this> | void {
    const stopWaiting = waitAtMost(this.#connectWithinMs, () => {
      cutOff(this, new DatabaseAway('the database did not answer'))
    })
    if (!callback) return super.connect().finally(stopWaiting) as Promise<this>
    super.connect((error: Error) => {
      stopWaiting()
      callback(error)
    })
  }
}

/** Closes a connection without the usual goodbye, which might never arrive; what waits for it fails with the reason. */
export function cutOff(client: pg.Client, reason?: Error): void {
  insidesOf(client).connection.stream.destroy(reason)
}

/** Members of `pg.Client` that its types leave out. */
type Insides = { processID: number | null; readyForQuery: boolean; connection: { stream: Socket } }

export function insidesOf(client: pg.Client): Insides {
  return client as unknown as Insides
}
