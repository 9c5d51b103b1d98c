import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Bucket } from '../environment.ts'
import { RateLimitError } from '../errors.ts'
import { networkOf } from '../http/address.ts'
import { type TokenBuckets, tokenBuckets } from '../http/token-buckets.ts'
import { asId } from '../ids.ts'

/** Counts a request, sets the headers with the numbers, and throws `RateLimitError` when it is one too many. */
export type Counter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** The counters: by address, caller, caller and room, address, address and login, address and caller. */
export type Counters = Record<'address' | 'caller' | 'message' | 'registration' | 'login', Counter> & {
  /** Sets the headers only when it is one too many. */
  secret: Counter
  /** Takes a count back: the secret was right. */
  giveBackSecret(request: FastifyRequest): void
}

/** Each process counts by itself. `now` (ms) replaces the clocks in tests. */
export async function createCounters(
  app: FastifyInstance,
  config: Config,
  now?: () => number,
): Promise<Counters> {
  // The monotonic clock measures, as nobody can set it; clients are told the time of day.
  const passedMs = now ?? (() => performance.now())
  const timeOfDay = now ?? (() => Date.now())
  const stores = new Map<string, TokenBuckets>()
  await app.register(rateLimit, { global: false, store: tokenBuckets(passedMs, stores) })

  function counter(bucket: Bucket, keyOf: (request: FastifyRequest) => string, shows = true): Counter {
    const { burst, refillMs } = config.rateLimits[bucket]
    const options = {
      max: burst,
      timeWindow: burst * refillMs,
      keyGenerator: keyOf,
      bucket: shows ? bucket : 'secrets',
    }
    const count = app.createRateLimit(options)
    return async (request, reply) => {
      const counted = await count(request)
      if (counted.isAllowed) return
      const { max, remaining, ttl, isExceeded } = counted
      if (shows || isExceeded) reply.headers(limitHeaders({ limit: max, remaining, ttl }, timeOfDay()))
      if (!isExceeded) return
      reply.header('Retry-After', secondsLeft(ttl))
      throw new RateLimitError(unixSeconds(timeOfDay() + ttl))
    }
  }

  const secretKey = (request: FastifyRequest) => `${addressOf(request)} ${request.caller.id}`
  return {
    address: counter('address', addressOf),
    caller: counter('requests', (request) => request.caller.id),
    message: counter('messages', (request) => {
      return `${request.caller.id} ${asId((request.params as { id: string }).id)}`
    }),
    registration: counter('registration', addressOf),
    login: counter('auth', (request) => `${addressOf(request)} ${loginOf(request)}`),
    secret: counter('auth', secretKey, false),
    giveBackSecret(request) {
      stores.get('secrets')?.giveBack(secretKey(request), config.rateLimits.auth)
    },
  }
}

function addressOf(request: FastifyRequest): string {
  return networkOf(request.server.addressOf(request.raw))
}

/** The account that a request is about: that of the caller, or the login or e-mail address in the body. */
function loginOf(request: FastifyRequest): string {
  if (request.caller) return request.caller.id
  const { login, email } = (request.body ?? {}) as { login?: unknown; email?: unknown }
  const name = typeof login === 'string' ? login : email
  return typeof name === 'string' ? withoutCase(name.replace(/^@/, '').slice(0, 254)) : ''
}

/**
 * Letter by letter, as PostgreSQL does it when it looks for an address: JavaScript makes two characters of an `İ`, and
 * writes a `Σ` at the end of a word in another way.
 */
function withoutCase(name: string): string {
  return Array.from(name, (letter) => letter.toLowerCase()[0]).join('')
}

/** The headers with the numbers of a limit (PROTOCOL 1.7). `ttl` in ms, `now` in ms since 1970. */
export function limitHeaders(
  { limit, remaining, ttl }: { limit: number; remaining: number; ttl: number },
  now: number,
) {
  return {
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': secondsLeft(ttl),
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': unixSeconds(now + ttl),
  }
}

function secondsLeft(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}

function unixSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
