import type { FastifyReply } from 'fastify'
import { RateLimitError } from '../../errors.ts'
import { type Limit, TokenBuckets } from './token-buckets.ts'

type CountOptions = {
  /** How many at once; by default one. */
  count?: number
  /** The answer whose headers show the numbers: of every count, or `onlyRefused`. */
  reply?: FastifyReply
  onlyRefused?: boolean
}

/** Limits how often something happens, for each key by itself: an address, an account, a login at an address. */
export type RateLimit = {
  /** Throws `RateLimitError`, and counts nothing, when it is too often. */
  count(key: string, options?: CountOptions): Promise<void>
  /** Counts one. Returns whether it is within the limit. */
  allows(key: string): Promise<boolean>
  /** Takes back what turned out not to count. */
  giveBack(key: string, count?: number): Promise<void>
}

/** The limit of an installation that has none. */
export const unlimited: RateLimit = {
  count: async () => {},
  allows: async () => true,
  giveBack: async () => {},
}

/** Each process counts by itself. `now` (ms) replaces the clocks in tests. */
export function createRateLimit(limit: Limit, now?: () => number): RateLimit {
  // Limits use the monotonic clock, which cannot be set; the headers give the time of day.
  const buckets = new TokenBuckets(limit, now ?? (() => performance.now()))
  const timeOfDay = now ?? (() => Date.now())
  return {
    async count(key, { count, reply, onlyRefused = false } = {}) {
      const { isAllowed, remaining, ttlMs } = buckets.take(key, count)
      if (!isAllowed || !onlyRefused) reply?.headers(limitHeaders(limit.burst, remaining, ttlMs, timeOfDay()))
      if (!isAllowed) throw new RateLimitError(ttlMs, timeOfDay())
    },
    allows: async (key) => buckets.take(key).isAllowed,
    giveBack: async (key, count) => buckets.giveBack(key, count),
  }
}

/** The headers with the numbers of a limit (docs/api.md#rate-limits); `now` in ms since 1970. */
export function limitHeaders(limit: number, remaining: number, ttlMs: number, now: number) {
  return {
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': Math.max(1, Math.ceil(ttlMs / 1000)),
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': Math.ceil((now + ttlMs) / 1000),
  }
}
