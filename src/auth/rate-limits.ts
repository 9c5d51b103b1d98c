import rateLimit from '@fastify/rate-limit'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify'
import type { Bucket, Config } from '../config.ts'
import { ApiError, RateLimitError } from '../errors.ts'
import { networkOf } from '../http/address.ts'
import { type TokenBuckets, tokenBuckets } from '../http/token-buckets.ts'
import { asId } from '../ids.ts'
import { isAuthenticator } from './plugin.ts'
import { readToken } from './tokens.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a route counts as (PROTOCOL 1.7), where it is not simply a request with or without a caller: `messages` (user
     * and room `:id`), `auth` (address and login), `registration` (address), or `secrets`: its wrong passwords and codes.
     */
    limitedAs?: 'messages' | 'auth' | 'registration' | 'secrets'
  }
  interface FastifyRequest {
    isSecretCounted: boolean
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

const wrongSecrets = new Set(['invalid_credentials', 'invalid_code'])

/**
 * Limits requests (PROTOCOL 1.7, in the order of 0.3): by address before anything else where there is no token, by user
 * once it is known who that is, by login once the body is read. Each process counts for itself.
 */
export async function limitRates(app: FastifyInstance, config: Config, now?: () => number): Promise<void> {
  if (!config.rateLimit) return
  // What has passed is counted by a clock that nobody sets; what clients are told is the time of day.
  const passedMs = now ?? (() => performance.now())
  const timeOfDay = now ?? (() => Date.now())
  const stores = new Map<string, TokenBuckets>()
  await app.register(rateLimit, { global: false, store: tokenBuckets(passedMs, stores) })

  /** A hook that counts a request in a bucket, shows the numbers, and refuses what is too much. */
  function counter(bucket: Bucket, keyOf: (request: FastifyRequest) => string, shows = true): Hook {
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
      if (shows || isExceeded) showNumbers(reply, { limit: max, remaining, ttl }, timeOfDay())
      if (!isExceeded) return
      reply.header('Retry-After', secondsLeft(ttl))
      throw new RateLimitError(unixSeconds(timeOfDay() + ttl))
    }
  }

  const countAddress = counter('address', addressOf)
  const countUser = counter('requests', (request) => request.caller.id)
  const countMessage = counter('messages', (request) => {
    return `${request.caller.id} ${asId((request.params as { id: string }).id)}`
  })
  const countRegistration = counter('registration', addressOf)
  const countLogin = counter('auth', (request) => `${addressOf(request)} ${loginOf(request)}`)
  const secretKey = (request: FastifyRequest) => `${addressOf(request)} ${request.caller.id}`
  const takeSecret = counter('auth', secretKey, false)
  app.decorateRequest('isSecretCounted', false)
  const countSecret: Hook = async (request, reply) => {
    await takeSecret(request, reply)
    request.isSecretCounted = true
  }

  const countWithoutToken: Hook = async (request, reply) => {
    if (readToken(request.headers.authorization) === undefined) await countAddress(request, reply)
  }
  const countCaller: Hook = async (request, reply) => {
    if (request.caller) {
      const isMessage = request.routeOptions.config.limitedAs === 'messages'
      await (isMessage ? countMessage : countUser)(request, reply)
    } else if (readToken(request.headers.authorization) !== undefined) {
      await countAddress(request, reply)
    }
  }
  /** A token of nobody's: tries at guessing one count as well. */
  function countingGuesses(authenticate: (request: FastifyRequest) => Promise<void>): Hook {
    return async (request, reply) => {
      try {
        await authenticate(request)
      } catch (error) {
        const isGuess = readToken(request.headers.authorization) !== undefined
        if (isGuess && error instanceof ApiError && error.code === 'no_auth')
          await countAddress(request, reply)
        throw error
      }
    }
  }

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) await countAddress(request, reply)
  })
  app.addHook('onRoute', (route) => {
    const hooks = [route.onRequest ?? []].flat() as onRequestHookHandler[]
    const asksWho = hooks.some((hook) => isAuthenticator(hook) || (hook as unknown) === app.recognize)
    const seen = hooks.flatMap((hook) => {
      if (isAuthenticator(hook)) return [countingGuesses(hook), countCaller]
      return (hook as unknown) === app.recognize ? [hook, countCaller] : hook
    })
    const limitedAs = route.config?.limitedAs
    if (asksWho) route.onRequest = [countWithoutToken, ...seen] as onRequestHookHandler[]
    else if (limitedAs === 'registration') route.onRequest = [countAddress, countRegistration, ...hooks]
    else route.onRequest = [countAddress, ...hooks]
    if (limitedAs === 'auth') addHook(route, 'preHandler', countLogin)
    if (limitedAs !== 'secrets') return
    addHook(route, 'preHandler', countSecret)
    addHook(route, 'preSerialization', giveBackUnlessWrong)
  })

  // Counted before the secret is looked at, so that many at once are no way around; only wrong ones stay counted.
  function giveBack(request: FastifyRequest): void {
    stores.get('secrets')?.giveBack(secretKey(request), config.rateLimits.auth)
  }
  async function giveBackUnlessWrong(request: FastifyRequest, _reply: FastifyReply, payload: unknown) {
    const code = (payload as { error?: { code?: string } } | null)?.error?.code ?? ''
    if (request.isSecretCounted && !wrongSecrets.has(code)) giveBack(request)
    return payload
  }
}

function addHook(route: RouteOptions, name: 'preHandler' | 'preSerialization', hook: unknown): void {
  const hooks = [route[name] ?? []].flat() as unknown[]
  route[name] = [...hooks, hook] as never
}

function addressOf(request: FastifyRequest): string {
  return networkOf(request.server.addressOf(request.raw))
}

/** Whose account a request is about: the caller's, or whatever name or address it was sent. */
function loginOf(request: FastifyRequest): string {
  if (request.caller) return request.caller.id
  const { login, email } = (request.body ?? {}) as { login?: unknown; email?: unknown }
  const name = typeof login === 'string' ? login : email
  return typeof name === 'string' ? name.replace(/^@/, '').toLowerCase().slice(0, 254) : ''
}

type Numbers = { limit: number; remaining: number; ttl: number }

function showNumbers(reply: FastifyReply, { limit, remaining, ttl }: Numbers, now: number): void {
  reply.headers({
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': remaining,
    'RateLimit-Reset': secondsLeft(ttl),
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': unixSeconds(now + ttl),
  })
}

function secondsLeft(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}

function unixSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
