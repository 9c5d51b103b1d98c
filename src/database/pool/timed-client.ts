import pg from 'pg'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'
import { DatabaseUnavailable } from '../availability/unavailable.ts'

/** `connectWithinMs` replaces `connectionTimeoutMillis`, which also fires after a stall of this process. */
export type TimedConfig = pg.ClientConfig & { connectWithinMs?: number }

const defaultConnectWithinMs = 2_000

/** A `pg` client for one server that gives up connecting after a while. */
export class TimedClient extends pg.Client {
  /** The id of the PostgreSQL process that serves this connection. The types of `pg` leave it out. */
  declare readonly processID: number | null
  readonly #connectWithinMs: number

  constructor(config: TimedConfig = {}) {
    super(config)
    this.#connectWithinMs = config.connectWithinMs ?? defaultConnectWithinMs
  }

  // biome-ignore lint/suspicious/noExplicitAny: as pg declares it, with a callback and without
  override connect(callback?: any): any {
    const stopWaiting = this.#destroyAfter(this.#connectWithinMs)
    this.once('connect', stopWaiting).once('end', stopWaiting)
    return super.connect(callback)
  }

  /** The result of work on this connection, which is closed if that takes longer. */
  async within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
    const stopWaiting = this.#destroyAfter(ms)
    return work.finally(stopWaiting)
  }

  /** Closes the connection without a Terminate message. All its statements fail with the reason. */
  destroy(reason?: Error): void {
    this.connection.stream.destroy(reason)
  }

  #destroyAfter(ms: number): () => void {
    return stallTolerantTimeout(ms, () =>
      this.destroy(new DatabaseUnavailable('the database did not answer')),
    )
  }
}
