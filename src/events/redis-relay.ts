import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Relay } from './relay.ts'

const channel = 'hearth:events'
const senderLength = 36

/**
 * A relay over the pub/sub of Redis or Valkey at `url`. Once open it reconnects by itself, and what is sent in the
 * meantime waits. Throws when Redis cannot be reached at first.
 */
export async function openRedisRelay(url: string): Promise<Relay> {
  const self = randomUUID()
  const publisher = await connect(url)
  const subscriber = await connect(url)
  let receive: (text: string) => void = () => {}
  subscriber.on('message', (_channel: string, message: string) => {
    if (!message.startsWith(self)) receive(message.slice(senderLength))
  })
  await subscriber.subscribe(channel)
  return {
    async send(text) {
      await publisher.publish(channel, self + text)
    },
    listen(listener) {
      receive = listener
    },
    async close() {
      await Promise.all([publisher.quit(), subscriber.quit()])
    },
  }
}

async function connect(url: string): Promise<Redis> {
  const connection = new Redis(url, { lazyConnect: true })
  let reason: Error | undefined
  connection.on('error', (error: Error) => {
    reason = error
  })
  try {
    await connection.connect()
    return connection
  } catch (error) {
    connection.disconnect()
    throw reason ?? error
  }
}

/** Sends to every process that listens. Fails at once when Redis cannot be reached. */
export async function sendOverRedis(url: string, text: string): Promise<void> {
  const publisher = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null })
  publisher.on('error', () => {})
  try {
    await publisher.publish(channel, randomUUID() + text)
  } finally {
    publisher.disconnect()
  }
}
