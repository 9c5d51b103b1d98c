import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openRedisRelay } from '../../src/events/redis-relay.ts'
import { startRedis } from '../support/redis.ts'
import { listening, postgres } from '../support/relays.ts'

/** The server of TEST_REDIS_URL, or else a double. */
const given = process.env.TEST_REDIS_URL
const redis = given
  ? {
      url: given,
      hang: () => {},
      refuseSubscribers: () => {},
      connectionCount: () => 0,
      drop: () => {},
      stop: async () => {},
    }
  : await startRedis()
afterAll(() => redis.stop())

const relays = {
  PostgreSQL: postgres,
  Redis: {
    open: () => openRedisRelay(redis.url),
    breakConnections: async () => redis.drop(),
  },
}

describe.each(Object.entries(relays))('the relay over %s', (_name, { open, breakConnections }) => {
  // Once more: a process that stands still for seconds connects anew, and may send something again.
  test('delivers everything to every other process, once and in one order', { retry: 1 }, async () => {
    const [one, other, third] = await Promise.all([listening(open), listening(open), listening(open)])
    const texts = Array.from({ length: 50 }, (_, n) => `${n} ${'é'.repeat(3_000)}`)
    await Promise.all(
      texts.flatMap((text) => [one.relay.send(`one ${text}`), other.relay.send(`other ${text}`)]),
    )
    const counts = () => [one, other, third].map(({ received }) => received.length)
    await expect.poll(counts).toEqual([50, 50, 100])
    expect(new Set(third.received).size).toBe(100)
    expect(one.received).toEqual(third.received.filter((text) => text.startsWith('other')))
    expect(other.received).toEqual(third.received.filter((text) => text.startsWith('one')))
  })

  test('delivers again after its connections broke', async () => {
    const [one, other] = await Promise.all([listening(open), listening(open)])
    await breakConnections()
    await vi.waitFor(async () => {
      await one.relay.send('again')
      expect(other.received).toContain('again')
    }, 30_000)
  })
})

test.skipIf(given)('over Redis, a send fails while Redis hangs, and works again after it', async () => {
  const [one, other] = [await listening(relays.Redis.open), await listening(relays.Redis.open)]
  redis.hang(true)
  await expect(one.relay.send('lost')).rejects.toThrow()
  redis.hang(false)
  await vi.waitFor(async () => {
    await one.relay.send('again')
    expect(other.received).toContain('again')
  }, 60_000)
})

test.skipIf(given)('over Redis, a refused subscription leaves no connection open', async () => {
  redis.refuseSubscribers(true)
  onTestFinished(() => redis.refuseSubscribers(false))
  await expect.poll(() => redis.connectionCount()).toBe(0)
  await expect(openRedisRelay(redis.url)).rejects.toThrow('NOPERM')
  await expect.poll(() => redis.connectionCount()).toBe(0)
})

test('over Redis, another database of the same server receives nothing', async () => {
  const there = new URL('/1', redis.url).href
  const [here, elsewhere] = [await listening(relays.Redis.open), await listening(() => openRedisRelay(there))]
  const beside = await listening(() => openRedisRelay(there))
  await elsewhere.relay.send('of the other')
  await expect.poll(() => beside.received).toEqual(['of the other'])
  const other = await listening(relays.Redis.open)
  await other.relay.send('last')
  await expect.poll(() => here.received).toEqual(['last'])
})
