import { randomUUID } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'
import type { Relay } from './relay.ts'

const senderLength = 36
const pingEveryMs = 5_000

/** When Redis does not answer for two seconds, it is connected to anew. */
const impatient: RedisOptions = {
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
  const publisher = new Redis(url, { ...impatient, commandTimeout: 4_000, maxRetriesPerRequest: 1 })
  // It never gives up: a subscription that is given up after a reconnection is not tried again.
  // It is patient, as what comes while it reconnects is lost.
  const subscriber = new Redis(url, { ...impatient, socketTimeout: 10_000, maxRetriesPerRequest: null })
  let receive: (text: string) => void = () => {}
  subscriber.on('message', (_channel: string, message: string) => {
    if (!message.startsWith(self)) receive(message.slice(senderLength))
  })
  try {
    await Promise.all([connect(publisher), connect(subscriber)])
    await subscriber.subscribe(channelOf(subscriber))
  } catch (error) {
    publisher.disconnect()
    subscriber.disconnect()
    throw error
  }
  // It only listens: without this it could be dead without anybody noticing.
  const pinging = setInterval(() => {
    if (subscriber.status === 'ready') subscriber.ping().catch(() => {})
  }, pingEveryMs).unref()
  return {
    async send(text) {
      await publisher.publish(channelOf(publisher), self + text)
    },
    listen(listener) {
      receive = listener
    },
    async close() {
      clearInterval(pinging)
      await Promise.all([publisher.quit(), subscriber.quit()])
    },
  }
}

/** Redis does not keep the channels of its databases apart: what uses another database must not hear this one. */
function channelOf({ options }: Redis): string {
  return options.db ? `hearth:events:${options.db}` : 'hearth:events'
}

/** Throws the reason when it fails; the library itself says no more than that the connection is closed. */
async function connect(connection: Redis): Promise<void> {
  let reason: Error | undefined
  connection.on('error', (error: Error) => {
    reason = error
  })
  await connection.connect().catch((error: Error) => {
    throw reason ?? error
  })
}

/** Sends to every process that listens. Fails at once when Redis cannot be reached. */
export async function sendOverRedis(url: string, text: string): Promise<void> {
  const publisher = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null })
  publisher.on('error', () => {})
  try {
    await publisher.publish(channelOf(publisher), randomUUID() + text)
  } finally {
    publisher.disconnect()
  }
}
