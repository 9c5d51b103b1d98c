import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openRedisBuckets } from '../../../src/http/load/redis-buckets.ts'
import type { Take } from '../../../src/http/load/shared-buckets.ts'
import { TokenBuckets } from '../../../src/http/load/token-buckets.ts'
import { startRedis } from '../../support/redis.ts'

const begin = Date.UTC(2026, 0, 1)
let time = begin
const redis = await startRedis()
redis.setClock(() => time)
const client = new Redis(redis.url)
afterAll(async () => {
  client.disconnect()
  await redis.stop()
})

/** The buckets of another process, and what is said of their outages. */
async function buckets(url = redis.url) {
  const said: string[] = []
  const opened = await openRedisBuckets(url, {
    began: (reason) => said.push(`began: ${(reason as Error | undefined)?.message}`),
    ended: () => said.push('ended'),
  })
  onTestFinished(() => opened.close())
  return { ...opened, said, isAvailable: () => opened.isAvailable }
}

const limit = { burst: 2, refillMs: 1_000 }
let key = ''
let keys = 0
beforeEach(() => {
  time = begin
  keys += 1
  key = `key ${keys}`
})
const one = (more: Partial<Take> = {}): Take => ({ name: 'test', limit, key, count: 1, ...more })

test('processes take from one bucket', async () => {
  const url = process.env.TEST_REDIS_URL ?? redis.url
  const [here, there] = [await buckets(url), await buckets(url)]
  const hourly = { name: `test ${process.pid} ${Date.now()}`, limit: { burst: 3, refillMs: 3_600_000 } }
  const ask = async ({ take }: typeof here, more: Partial<Take> = {}) => {
    const { isAllowed, remaining } = (await take([one({ ...hourly, ...more })]))![0]!
    return [isAllowed, remaining]
  }
  expect([await ask(here), await ask(there), await ask(here)]).toEqual([
    [true, 2],
    [true, 1],
    [true, 0],
  ])
  for (const each of [here, there]) expect(await ask(each)).toEqual([false, 0])
  expect(await ask(there, { key: 'another' })).toEqual([true, 2])
  expect(await ask(there, { name: `${hourly.name} other` })).toEqual([true, 2])
})

test('a bucket fills steadily, by the clock of Redis', async () => {
  const [here, there] = [await buckets(), await buckets()]
  expect(await here.take([one()])).toEqual([{ isAllowed: true, remaining: 1, ttlMs: 1_000 }])
  time += 400
  expect(await there.take([one()])).toEqual([{ isAllowed: true, remaining: 0, ttlMs: 1_600 }])
  expect(await here.take([one()])).toEqual([{ isAllowed: false, remaining: 0, ttlMs: 600 }])
  time += 600
  expect((await there.take([one()]))![0]!.isAllowed).toBe(true)
  expect((await here.take([one()]))![0]!.isAllowed).toBe(false)
})

test('of several buckets those after a refusal give nothing', async () => {
  const { take } = await buckets()
  await take([one({ count: 2 })])
  const answers = await take([one({ name: 'before' }), one(), one({ name: 'after' })])
  expect(answers!.map(({ isAllowed }) => isAllowed)).toEqual([true, false])
  expect((await take([one({ name: 'before' })]))![0]!.remaining).toBe(0)
  expect((await take([one({ name: 'after' })]))![0]!.remaining).toBe(1)
})

const limits = fc.constantFrom(
  { burst: 1, refillMs: 1_000 },
  { burst: 5, refillMs: 12_000 },
  { burst: 7, refillMs: 60_000 / 7 },
  { burst: 100, refillMs: 20 },
  { burst: 2 ** 20, refillMs: 86_400_000 / 2 ** 20 },
)
const steps = fc.array(
  fc.record({
    waitUs: fc.oneof(fc.constant(0), fc.nat(100_000), fc.nat(2 ** 31 - 1)),
    share: fc.oneof(fc.constant(0), fc.constant(1e-9), fc.double({ min: 0, max: 1, noNaN: true })),
    key: fc.constantFrom('ann', 'bob'),
    gives: fc.boolean(),
  }),
  { maxLength: 20 },
)

test('a bucket in Redis answers as one of the process does, whatever is taken and given back when', async () => {
  const { take } = await buckets()
  let runs = 0
  await fc.assert(
    fc.asyncProperty(limits, steps, async (limit, list) => {
      runs += 1
      time = begin
      const local = new TokenBuckets(limit, () => time - begin)
      for (const { waitUs, share, key, gives } of list) {
        time += waitUs / 1_000
        const count = Math.ceil(share * limit.burst)
        const expected = local.take(key, count)
        const shared = { name: `run ${runs}`, limit, key }
        const [found] = (await take([{ ...shared, count }]))!
        expect(found).toEqual({ ...expected, ttlMs: expect.closeTo(expected.ttlMs, 2) })
        if (!gives || !expected.isAllowed || count === 0) continue
        local.giveBack(key, count)
        await take([{ ...shared, count: -count }])
      }
    }),
    { numRuns: 100 },
  )
})

test('a bucket is read without taking anything, and what is given back is there again', async () => {
  const { take } = await buckets()
  await take([one({ count: 2 })])
  expect(await take([one({ count: 0 })])).toEqual([{ isAllowed: true, remaining: 0, ttlMs: 2_000 }])
  await take([one({ count: -1 })])
  expect((await take([one()]))![0]!.remaining).toBe(0)
  // A full bucket takes no more.
  await take([one({ count: -5 })])
  await take([one({ key: 'unused', count: -5 })])
  expect((await take([one()]))![0]!.remaining).toBe(1)
  expect((await take([one({ key: 'unused' })]))![0]!.remaining).toBe(1)
})

test('every key expires when its bucket is full, and shows no address', async () => {
  await client.flushall()
  const { take } = await buckets()
  await take([one({ key: '192.0.2.7 ann@example.org' }), one({ name: 'requests', key: '7', count: 2 })])
  await take([one({ key: 'given back' })])
  await take([one({ key: 'given back', count: -1 })])
  await take([one({ key: 'only read', count: 0 })])
  const found = (await client.keys('*')).filter((name) => !name.includes(':trial:'))
  expect(found.map((name) => name.replace(/[\w-]{22}$/, '…')).sort()).toEqual([
    'hearth:limit:requests:…',
    'hearth:limit:test:…',
  ])
  expect(await Promise.all(found.sort().map((name) => client.pttl(name)))).toEqual([2_000, 1_000])
  time += 2_000
  expect(await client.keys('*')).toEqual([])
})

test.each([3_600_000, -3_600_000])(
  'after a step of the clock by %i ms a bucket fills in its time',
  async (ms) => {
    const { take } = await buckets()
    await take([one()])
    time += ms
    expect((await take([one()]))![0]!.isAllowed).toBe(true)
    await take([one()])
    time += 1_000
    expect((await take([one()]))![0]!.isAllowed).toBe(true)
    expect((await take([one()]))![0]!.isAllowed).toBe(false)
    time += 2_000
    expect((await take([one()]))![0]!.remaining).toBe(1)
  },
)

test('a limit that was lowered is soon within its new numbers', async () => {
  const { take } = await buckets()
  await take([one({ limit: { burst: 1_000, refillMs: 60_000 }, count: 1_000 })])
  expect(await take([one()])).toEqual([{ isAllowed: false, remaining: 0, ttlMs: 1_000 }])
})

test('goes on when Redis has lost the script, and with full buckets when it has lost the keys', async () => {
  const { take, said } = await buckets()
  await take([one()])
  await client.script('FLUSH')
  expect((await take([one()]))![0]).toMatchObject({ isAllowed: true, remaining: 0 })
  await client.flushall()
  expect((await take([one()]))![0]).toMatchObject({ isAllowed: true, remaining: 1 })
  expect(said).toEqual([])
})

describe('while Redis is unavailable', () => {
  test.each([
    "READONLY You can't write against a read only replica. script: 0a, on @user_script:1.",
    "OOM command not allowed when used memory > 'maxmemory'.",
  ])('%s: gives no answer, asks no more, and says so once', async (error) => {
    const { take, said, isAvailable } = await buckets()
    redis.refuseScripts(error)
    onTestFinished(() => redis.refuseScripts(undefined))
    const before = redis.scriptCount()
    for (let n = 0; n < 1_000; n += 1) expect(await take([one()])).toBeUndefined()
    expect(redis.scriptCount() - before).toBeLessThan(100)
    expect([said, isAvailable()]).toEqual([[`began: ${error}`], false])
    redis.refuseScripts(undefined)
    await vi.waitUntil(isAvailable, 60_000)
    expect((await take([one()]))![0]!.remaining).toBe(1)
    expect(said).toEqual([`began: ${error}`, 'ended'])
  })

  test('hanging: gives up all that waits at once', async () => {
    const { take, said, isAvailable } = await buckets()
    redis.hang(true)
    onTestFinished(() => redis.hang(false))
    const answers = await Promise.all(Array.from({ length: 100 }, () => take([one()])))
    expect(answers.every((answer) => answer === undefined)).toBe(true)
    expect(await take([one()])).toBeUndefined()
    expect(said).toEqual(['began: Redis does not answer'])
    redis.hang(false)
    await vi.waitUntil(isAvailable, 60_000)
    expect((await take([one()]))![0]!.isAllowed).toBe(true)
    expect(said).toHaveLength(2)
  })

  test('broken connections: is back after each', async () => {
    const { take, said, isAvailable } = await buckets()
    for (let round = 1; round <= 3; round += 1) {
      const answers = Array.from({ length: 10 }, () => take([one()]))
      redis.drop()
      await Promise.all(answers)
      await vi.waitUntil(() => said.length === 2 * round, 60_000)
      expect(isAvailable()).toBe(true)
    }
    expect(said.map((text) => text.slice(0, 5))).toEqual([
      'began',
      'ended',
      'began',
      'ended',
      'began',
      'ended',
    ])
  })

  test('refused at the start: is used once it is there', async () => {
    const late = await startRedis()
    await late.stop()
    const { take, said, isAvailable } = await buckets(late.url)
    expect(await take([one()])).toBeUndefined()
    expect(said).toEqual([expect.stringContaining('began: connect ECONNREFUSED')])
    const started = await startRedis(late.port)
    onTestFinished(() => started.stop())
    await vi.waitUntil(isAvailable, 60_000)
    expect((await take([one()]))![0]!.isAllowed).toBe(true)
  })
})
