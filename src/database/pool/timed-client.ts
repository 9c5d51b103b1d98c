import pg from 'pg'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'
import { DatabaseUnavailable } from '../availability/unavailable.ts'

/** `connectWithinMs` replaces `connectionTimeoutMillis`, which also fires after a stall of this process. */
export type TimedConfig = pg.ClientConfig & { connectWithinMs?: number }

const defaultConnectWithinMs = 2_000

/** A `pg` client that gives up connecting after a while, counted from its construction. */
export class TimedClient extends pg.Client {
  /** The id of the PostgreSQL process that serves this connection. The types of `pg` leave it out. */
  declare readonly processID: number | null

  constructor(config: TimedConfig = {}) {
    super(config)
    const stopWaiting = stallTolerantTimeout(config.connectWithinMs ?? defaultConnectWithinMs, () => {
      this.destroy(new DatabaseUnavailable('the database did not answer'))
    })
    this.once('connect', stopWaiting).once('end', stopWaiting)
  }

  /** Closes the connection without a Terminate message. All its statements fail with the reason. */
  destroy(reason?: Error): void {
    this.connection.stream.destroy(reason)
  }
}
