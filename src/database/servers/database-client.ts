import { DatabaseUnavailable } from '../availability/unavailable.ts'
import { TimedClient, type TimedConfig } from '../pool/timed-client.ts'
import { readServerState } from './server-state.ts'
import { mayHaveMoved, type Servers, serversOf } from './servers.ts'

const checkWithinMs = 1_000

/**
 * A client for any database address. Where that has several servers, it connects to the one that is used, or to one
 * that it finds fit.
 */
export class DatabaseClient extends TimedClient {
  /** Whether a write was refused as the server may only be read: a new connection may lead to another server. */
  isReadOnly = false
  readonly #servers: Servers | undefined
  #isOnWire = false
  #closedFor: Error | undefined
  #brokenBy: Error | undefined

  constructor(config: TimedConfig = {}) {
    const servers = serversOf(config.connectionString)
    super(servers ? { ...config, connectionString: servers.firstUrl } : config)
    this.#servers = servers
    if (servers) {
      this.on('error', (error) => {
        this.#brokenBy ??= error
      })
    }
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code !== '25006') return
      this.isReadOnly = true
      servers?.forget()
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: as pg declares it, with a callback and without
  override connect(callback?: any): any {
    if (!this.#servers) return super.connect(callback)
    const connecting = this.#connectToOneOf(this.#servers)
    if (!callback) return connecting
    connecting.then(() => callback(this.#brokenBy), callback)
  }

  async #connectToOneOf(servers: Servers): Promise<void> {
    const server = await servers.choose()
    if (this.#closedFor) throw this.#closedFor
    this.#isOnWire = true
    Object.assign(this, { host: server.host, port: server.port })
    try {
      await super.connect()
      servers.admit(this, server, await this.within(checkWithinMs, readServerState(this)))
    } catch (error) {
      if (mayHaveMoved(error)) servers.forget()
      this.destroy(error as Error)
      throw error
    }
  }

  override destroy(reason?: Error): void {
    if (this.#isOnWire || !this.#servers) super.destroy(reason)
    else this.#closedFor = reason ?? new DatabaseUnavailable('the connection was given up')
  }
}
