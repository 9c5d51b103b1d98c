import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { stallTolerantTimeout } from '../concurrency/stall-tolerant-timeout.ts'
import { DatabaseClient } from './servers/database-client.ts'

const connectWithinMs = 1_000
const keepaliveMs = 2_000
const retryMs = 250

/** The long-lived connection of a process: the session of its advisory locks, and of the notifications it receives. */
export type ProcessConnection = {
  /** Its present client, which may have ended. */
  readonly client: pg.Client
  close(): Promise<void>
}

type Listener = {
  /** Prepares a new client for use. Where this throws, the client is closed. */
  onConnect(client: pg.Client): Promise<void>
  /** Called when a connection that was in use has broken, and will be made anew. */
  onLoss(): void
}

/** Opens the connection, and opens it again whenever it breaks. Throws `DatabaseUnavailable` after a second. */
export async function openProcessConnection(
  databaseUrl: string,
  { onConnect, onLoss }: Listener,
): Promise<ProcessConnection> {
  let isClosing = false
  let client = await connect()

  async function connect(): Promise<pg.Client> {
    const fresh = new DatabaseClient({
      connectionString: databaseUrl,
      application_name: 'hearth process',
      connectWithinMs,
    })
    fresh.on('error', () => {})
    await fresh.connect()
    void keepAlive(fresh)
    try {
      // Without these, PostgreSQL notices a lost machine only after two hours.
      await fresh.query(
        'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3',
      )
      await onConnect(fresh)
    } catch (error) {
      await fresh.end()
      throw error
    }
    fresh.once('end', reconnect)
    return fresh
  }

  async function reconnect(): Promise<void> {
    if (isClosing) return
    onLoss()
    for (;;) {
      await pause(retryMs, undefined, { ref: false })
      if (isClosing) return
      const fresh = await connect().catch(() => undefined)
      if (!fresh) continue
      client = fresh
      if (isClosing) await fresh.end()
      return
    }
  }

  return {
    get client() {
      return client
    },
    async close() {
      isClosing = true
      await client.end()
    },
  }
}

/** Queries a connection every two seconds, and closes it if no answer arrives for as long. */
async function keepAlive(client: DatabaseClient): Promise<void> {
  let hasEnded = false
  client.once('end', () => {
    hasEnded = true
  })
  for (;;) {
    await pause(keepaliveMs, undefined, { ref: false })
    if (hasEnded) return
    const stopWaiting = stallTolerantTimeout(keepaliveMs, () => client.destroy())
    await client.query('select').catch(() => {})
    stopWaiting()
  }
}
