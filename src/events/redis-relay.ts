import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Relay } from './relay.ts'

const channel = 'hearth:events'
const senderLength = 36

/** A relay over the pub/sub of Redis or Valkey at `url`. Reconnects by itself; what is sent in the meantime waits. */
export async function openRedisRelay(url: string): Promise<Relay> {
  const self = randomUUID()
  const publisher = new Redis(url)
  const subscriber = new Redis(url)
  let receive: (text: string) => void = () => {}
  for (const connection of [publisher, subscriber]) connection.on('error', () => {})
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
