import type { FastifyReply } from 'fastify'
import { RateLimitError } from '../../errors.ts'
import type { SharedBuckets, Take } from './shared-buckets.ts'
import { type Limit, type Taken, TokenBuckets } from './token-buckets.ts'

/** The bucket of a limit for a key. */
export type Bucket = Omit<Take, 'count'> & { local: TokenBuckets }

type CountOptions = {
  /** How many at once; by default one. */
  count?: number
  /** The answer whose headers show the numbers: of every count, or `onlyRefused`. */
  reply?: FastifyReply
  onlyRefused?: boolean
  /** Counts one there as well, unless this limit refuses; the headers are then those of that limit. */
  also?: Bucket | undefined
  /** The same, but the headers are those of this limit only if it refuses. */
  beside?: Bucket | undefined
}

/** Limits how often something happens, for each key by itself: an address, an account, a login at an address. */
export type RateLimit = {
  /** Throws `RateLimitError`, and counts nothing, when it is too often. */
  count(key: string, options?: CountOptions): Promise<void>
  /** Counts so many, by default one, unless it is too often. Returns whether it is within the limit. */
  allows(key: string, count?: number): Promise<boolean>
  /** Takes back what turned out not to count. */
  giveBack(key: string, count?: number): Promise<void>
  /** The time in ms until one is within the limit; 0 if it is now. */
  waitMs(key: string): Promise<number>
  bucketOf(key: string): Bucket | undefined
}

/** The limit of an installation that has none. */
export const unlimited: RateLimit = {
  count: async () => {},
  allows: async () => true,
  giveBack: async () => {},
  waitMs: async () => 0,
  bucketOf: () => undefined,
}

export type RateLimitOptions = {
  /** Undefined: each process counts by itself, as it does while they are unavailable. */
  shared?: SharedBuckets | undefined
  /** Replaces the clocks in tests, in ms. */
  now?: (() => number) | undefined
  /** Called with the name of a limit that has refused a request. */
  onRefused?: ((name: string) => void) | undefined
}

/** `name` distinguishes the limits of an installation. */
export function createRateLimit(name: string, limit: Limit, options: RateLimitOptions): RateLimit {
  const { shared, now, onRefused } = options
  // Limits use the monotonic clock, which cannot be set; the headers give the time of day.
  const local = new TokenBuckets(limit, now ?? (() => performance.now()))
  const timeOfDay = now ?? (() => Date.now())
  const bucketOf = (key: string): Bucket => ({ name, limit, key, local })
  const takeShared = async (takes: Take[]) => (shared ? shared.take(takes) : undefined)

  return {
    bucketOf,
    async count(key, { count = 1, reply, onlyRefused = false, also, beside } = {}) {
      const takes = [{ ...bucketOf(key), count }]
      for (const bucket of [also, beside]) if (bucket) takes.push({ ...bucket, count: 1 })
      const taken = (await takeShared(takes)) ?? takeLocally(takes)
      const { isAllowed } = taken.at(-1)!
      const last = taken.length - 1
      const shown = isAllowed && beside ? last - 1 : last
      const { remaining, ttlMs } = taken[shown]!
      const { name, limit } = takes[shown]!
      if (!isAllowed || !onlyRefused) reply?.headers(limitHeaders(limit.burst, remaining, ttlMs, timeOfDay()))
      if (isAllowed) return
      onRefused?.(name)
      throw new RateLimitError(ttlMs, timeOfDay())
    },
    async allows(key, count = 1) {
      const taken = await takeShared([{ name, limit, key, count }])
      return (taken?.[0] ?? local.take(key, count)).isAllowed
    },
    async giveBack(key, count = 1) {
      if (!(await takeShared([{ name, limit, key, count: -count }]))) local.giveBack(key, count)
    },
    async waitMs(key) {
      const taken = await takeShared([{ name, limit, key, count: 0 }])
      if (!taken) return local.waitMs(key)
      return Math.max(0, taken[0]!.ttlMs - (limit.burst - 1) * limit.refillMs)
    },
  }
}

/** Takes from each bucket of this process, up to the first that refuses. */
function takeLocally(takes: readonly (Bucket & Take)[]): Taken[] {
  const all: Taken[] = []
  for (const { local, key, count } of takes) {
    const taken = local.take(key, count)
    all.push(taken)
    if (!taken.isAllowed) break
  }
  return all
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
