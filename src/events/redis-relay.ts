import { randomUUID } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'
import type { OutageListener, Relay } from './relay.ts'

const senderLength = 36
const pingEveryMs = 5_000

/** When Redis does not answer for two seconds, the client connects anew. */
const options: RedisOptions = {
  connectTimeout: 2_000,
  socketTimeout: 2_000,
  retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  lazyConnect: true,
}

/**
 * A relay over the pub/sub of Redis or Valkey at `url`. Once open it reconnects by itself; sending fails while it
 * cannot. Throws when Redis cannot be reached at first.
 */
export async function openRedisRelay(url: string): Promise<Relay> {
  const self = randomUUID()
  const publisher = new Redis(url, { ...options, commandTimeout: 4_000, maxRetriesPerRequest: 1 })
  // It retries without limit, as a subscription that fails after a reconnection is not repeated. Its timeout is long,
  // as messages are lost while it reconnects.
  const subscriber = new Redis(url, { ...options, socketTimeout: 10_000, maxRetriesPerRequest: null })
  const connections = [publisher, subscriber]
  // Channels are shared by all databases of a Redis server, so the name includes the number of the database.
  const { db } = publisher.options
  const channel = db ? `hearth:events:${db}` : 'hearth:events'
  let receive: (text: string) => void = () => {}
  let listener: OutageListener | undefined
  /** An outage lasts from the first connection that closes until all are ready again. */
  let isInOutage = false
  let outages = 0
  const areReady = () => connections.every(({ status }) => status === 'ready')
  let reason: Error | undefined

  for (const connection of connections) {
    connection.on('error', (error: Error) => {
      reason = error
    })
    connection.on('close', () => {
      if (isInOutage) return
      isInOutage = true
      outages += 1
      listener?.began(reason)
    })
    connection.on('ready', () => {
      if (!areReady()) return
      reason = undefined
      if (isInOutage) listener?.ended()
      isInOutage = false
    })
  }
  subscriber.on('message', (_channel: string, message: string) => {
    if (!message.startsWith(self)) receive(message.slice(senderLength))
  })
  try {
    await Promise.all(connections.map((connection) => connection.connect()))
    await subscriber.subscribe(channel)
  } catch (error) {
    for (const connection of connections) connection.disconnect()
    // The error of the library itself says only that the connection is closed.
    throw reason ?? error
  }
  // The subscriber sends nothing else, so without pings a broken connection would not be noticed.
  const pinging = setInterval(() => {
    if (subscriber.status === 'ready') subscriber.ping().catch(() => {})
  }, pingEveryMs).unref()

  return {
    sendsLog: true,
    redis: {
      get isAvailable() {
        return areReady()
      },
      get outages() {
        return outages
      },
    },
    async send(text) {
      await publisher.publish(channel, self + text)
    },
    listen(listener) {
      receive = listener
    },
    onOutage(given) {
      listener = given
    },
    async close() {
      clearInterval(pinging)
      listener = undefined
      await Promise.all(connections.map((connection) => connection.quit()))
    },
  }
}
