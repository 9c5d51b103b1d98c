import { expect, test } from 'vitest'
import { TokenBuckets } from '../../../src/http/load/token-buckets.ts'

const maxKeys = 50_000
const limit = { burst: 2, refillMs: 1_000 }

/** Buckets, and a clock that only `pass` moves. */
function bucketsAt() {
  let now = 90_000
  const buckets = new TokenBuckets(limit, () => now)
  const take = (key: string) => buckets.take(key)
  const waitMs = (key: string) => buckets.waitMs(key)
  const isEmpty = (key: string) => waitMs(key) > 0
  return { take, waitMs, isEmpty, pass: (ms: number) => (now += ms) }
}

test('a bucket gives its burst at once, then one for each refill, and says how long to wait', () => {
  const { take, waitMs, pass } = bucketsAt()
  expect([take('ann'), take('ann')]).toEqual([
    { isAllowed: true, remaining: 1, ttlMs: 1_000 },
    { isAllowed: true, remaining: 0, ttlMs: 2_000 },
  ])
  expect([waitMs('ann'), waitMs('bob')]).toEqual([1_000, 0])
  expect(take('ann')).toEqual({ isAllowed: false, remaining: 0, ttlMs: 1_000 })
  pass(999)
  expect(waitMs('ann')).toBe(1)
  expect(take('ann')).toEqual({ isAllowed: false, remaining: 0, ttlMs: 1 })
  pass(1)
  expect(take('ann').isAllowed).toBe(true)
  expect(take('ann').isAllowed).toBe(false)
})

test.each([
  [5, 12_000],
  [7, 60_000 / 7],
  [10, 100],
])('a bucket of %d gives all of them, whatever the fractions of its clock', (burst, refillMs) => {
  for (let n = 0; n < 100; n += 1) {
    const buckets = new TokenBuckets({ burst, refillMs }, () => 1234.567 + n * 1.37)
    const given = Array.from({ length: burst }, () => buckets.take('ann').remaining)
    expect(given).toEqual(Array.from({ length: burst }, (_, place) => burst - 1 - place))
  }
})

test('of more buckets than are remembered the full ones are dropped first, then that which was used longest ago', () => {
  const { take, isEmpty, pass } = bucketsAt()
  for (const key of ['first', 'second', 'second', 'first']) take(key)
  for (let n = 3; n <= maxKeys; n += 1) take(`other ${n}`)
  expect([isEmpty('first'), isEmpty('second')]).toEqual([true, true])
  take('one too many')
  expect([isEmpty('first'), isEmpty('second')]).toEqual([true, false])
  pass(1_000)
  for (const key of ['second', 'second', 'third', 'third', 'first']) take(key)
  expect(['first', 'second', 'third'].map(isEmpty)).toEqual([true, true, true])
})
