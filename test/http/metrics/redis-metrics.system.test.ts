import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { openRedisRelay } from '../../../src/events/redis-relay.ts'
import { newBus } from '../../support/bus.ts'
import { samplesOf, sumOf } from '../../support/metrics.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { startRedis } from '../../support/redis.ts'
import { house, node, user } from '../../support/world.ts'

await ownWorld()

// Two processes that use Redis, while that of the file does not.
await node.release()
let redis = await startRedis()
afterAll(() => redis.stop())

async function startProcess() {
  const { bus, presences, close } = await newBus(await openRedisRelay(redis.url))
  afterAll(close)
  const { call } = await otherApp({ rateLimit: true, redisUrl: redis.url }, { bus, presences })
  return { call, number: String(bus.node.number) }
}
type Process = Awaited<ReturnType<typeof startProcess>>

const [one, other] = [await startProcess(), await startProcess()]
const patience = { timeout: 30_000, interval: 50 }
const ann = await user()
const { room_id } = await house({ owner: ann })

async function read({ call }: Process, name: string, labels: Record<string, string> = {}) {
  return sumOf((await call(null, 'GET', '/metrics')).text, name, labels)
}

async function send({ call }: Process): Promise<void> {
  // The rate limits of these sends do not matter.
  const author = await user()
  const den = await house({ owner: author })
  const { status } = await call(author, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' })
  expect(status).toBe(200)
}

const byRedis = { source: 'published' }

test('the process that commits publishes, and another one receives that over Redis', async () => {
  const counts = async () => ({
    published: [
      await read(one, 'hearth_log_published_total'),
      await read(other, 'hearth_log_published_total'),
    ],
    own: await read(one, 'hearth_log_events_total', { source: 'own' }),
    took: await read(one, 'hearth_publish_seconds_count'),
    seconds: await read(one, 'hearth_publish_seconds_sum'),
  })
  const before = await counts()
  let sent = 0
  // Until both know of each other nothing is published; and an event may be read from the table before it comes.
  await vi.waitUntil(async () => {
    await send(one)
    sent += 1
    return (await read(other, 'hearth_log_events_total', byRedis)) > 0
  }, patience)
  const after = await counts()
  expect(after.own).toBe(before.own + sent)
  expect(after.published[0]).toBeGreaterThan(before.published[0]!)
  expect(after.published[1]).toBe(before.published[1])
  expect(after.took).toBeGreaterThan(before.took)
  expect(after.seconds).toBeGreaterThan(before.seconds)
  const { text } = await one.call(null, 'GET', '/metrics')
  for (const name of ['hearth_log_published_total', 'hearth_publish_waiting', 'hearth_redis_available']) {
    expect(new Set(samplesOf(text, name).map(({ labels }) => labels.node)), name).toEqual(
      new Set([one.number]),
    )
  }
  expect(one.number).not.toBe(other.number)
})

test('what Redis does not take is shown as waiting', async () => {
  redis.hang(true)
  onTestFinished(() => redis.hang(false))
  await send(one)
  await vi.waitUntil(async () => (await read(one, 'hearth_publish_waiting')) > 0, patience)
  redis.hang(false)
  await vi.waitUntil(async () => (await read(one, 'hearth_publish_waiting')) === 0, patience)
  await vi.waitUntil(async () => (await read(one, 'hearth_redis_available')) === 2, patience)
})

test('an outage of Redis is shown by use, with what failed and was counted locally in it', async () => {
  const uses = ['events', 'rate_limits'] as const
  const state = async (name: string) => {
    const all = [one, other].flatMap((each) => uses.map((use) => read(each, name, { use })))
    return Promise.all(all)
  }
  await vi.waitUntil(async () => String(await state('hearth_redis_available')) === '1,1,1,1', patience)
  const before = {
    outages: await state('hearth_redis_outages_total'),
    failures: await read(one, 'hearth_publish_failures_total'),
    fromTable: await read(other, 'hearth_log_events_total', { source: 'read' }),
  }
  await redis.stop()
  await vi.waitUntil(async () => String(await state('hearth_redis_available')) === '0,0,0,0', patience)
  expect(await state('hearth_redis_outages_total')).toEqual(before.outages.map((count) => count + 1))

  const local = await read(one, 'hearth_rate_limits_local_total')
  await one.call(ann, 'GET', '/users/@me')
  // That request, and the scrape itself.
  expect(await read(one, 'hearth_rate_limits_local_total')).toBe(local + 2)
  await send(one)
  await vi.waitUntil(
    async () => (await read(one, 'hearth_publish_failures_total')) > before.failures,
    patience,
  )
  await vi.waitUntil(
    async () => (await read(other, 'hearth_log_events_total', { source: 'read' })) > before.fromTable,
    patience,
  )

  redis = await startRedis(redis.port)
  await vi.waitUntil(async () => String(await state('hearth_redis_available')) === '1,1,1,1', patience)
  expect(await state('hearth_redis_outages_total')).toEqual(before.outages.map((count) => count + 1))
  const counted = await read(one, 'hearth_rate_limits_local_total')
  await one.call(ann, 'GET', `/rooms/${room_id}`)
  expect(await read(one, 'hearth_rate_limits_local_total')).toBe(counted)
})
