import { expect, test } from 'vitest'
import { longestWaitMs, nextAfter, waitBefore } from '../../src/client/reconnecting.ts'

test.each([
  [1000, '', 'resume'],
  [1001, 'going_away', 'resume'],
  [1006, '', 'resume'],
  [1011, 'internal_error', 'resume'],
  [4003, 'invalid_token', 'stop'],
  [4003, 'login_timeout', 'resume'],
  [4007, 'heartbeat_missing', 'resume'],
  [4008, 'slow_consumer', 'resume'],
  [4009, 'cannot_resume', 'log in at once'],
  [4010, 'taken_over', 'log in'],
  [4012, 'too_many', 'wait long'],
] as const)('after %d %s: %s', (code, reason, next) => {
  expect(nextAfter(code, reason)).toBe(next)
})

test('waits double up to a maximum, and are random', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 1_000].map((attempt) => waitBefore(attempt, () => 1))
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  expect(waitBefore(9, () => 0)).toBe(longestWaitMs / 4)
  expect(waitBefore(0)).not.toBe(waitBefore(0))
})
