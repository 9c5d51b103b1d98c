import { expect, test } from 'vitest'
import { secondsToKeep } from '../../../src/accounts/push-subscriptions/payload-operations.ts'

test('a push is kept for a day, and no longer than its message', () => {
  const now = Date.UTC(2026, 0, 1)
  const left = (exploding_age: number | null, ageMs: number) =>
    secondsToKeep({ timestamp: now - ageMs, exploding_age }, now)
  expect(left(null, 100_000)).toBe(86_400)
  expect(left(60, 0)).toBe(60)
  expect(left(60, 20_500)).toBe(40)
  expect(left(604_800, 0)).toBe(86_400)
  // The clock that made the timestamp may be ahead.
  expect(left(60, -5_000)).toBe(60)
  expect([left(60, 60_000), left(60, 90_000)]).toEqual([0, 0])
})
