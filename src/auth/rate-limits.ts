import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { isAuthenticator } from './plugin.ts'
import { type Counter, type Counters, createCounters } from './rate-counters.ts'
import { readToken } from './tokens.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a route counts as (PROTOCOL 1.7), where it is not simply a request with or without a caller: `messages`
     * (user and room `:id`), `auth` (address and login), `registration` (address), or `secrets`: its wrong passwords
     * and codes.
     */
    limitedAs?: 'messages' | 'auth' | 'registration' | 'secrets'
  }
  interface FastifyRequest {
    isSecretCounted: boolean
  }
}

/** `onRequest` or `preHandler`. */
type Hook = Counter

const wrongSecrets = new Set(['invalid_credentials', 'invalid_code'])

/**
 * Limits requests (PROTOCOL 1.7, in the order of 0.3): by address before anything else where there is no token, by user
 * once it is known who that is, by login once the body is read.
 */
export async function limitRates(app: FastifyInstance, config: Config, now?: () => number): Promise<void> {
  if (!config.rateLimit) return
  app.decorateRequest('isSecretCounted', false)
  const counters = await createCounters(app, config, now)
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) await counters.address(request, reply)
  })
  app.addHook('onRoute', (route) => {
    limitRequests(app, route, counters)
    limitLogins(route, counters)
  })
}

/** Counts by address, caller or room, as soon as it is known who is calling. */
function limitRequests(app: FastifyInstance, route: RouteOptions, counters: Counters): void {
  const hooks = [route.onRequest ?? []].flat() as Hook[]
  const recognize: unknown = app.recognize
  const asksWho = hooks.some((hook) => isAuthenticator(hook) || hook === recognize)
  if (!asksWho) {
    const isRegistration = route.config?.limitedAs === 'registration'
    route.onRequest = [counters.address, ...(isRegistration ? [counters.registration] : []), ...hooks]
    return
  }
  const counted = hooks.flatMap((hook) => {
    if (isAuthenticator(hook)) return [countingGuesses(hook, counters), countingCaller(counters)]
    return hook === recognize ? [hook, countingCaller(counters)] : [hook]
  })
  const countWithoutToken: Hook = async (request, reply) => {
    if (!hasToken(request)) await counters.address(request, reply)
  }
  route.onRequest = [countWithoutToken, ...counted]
}

/** Counts logins, and wrong passwords and codes. */
function limitLogins(route: RouteOptions, counters: Counters): void {
  const limitedAs = route.config?.limitedAs
  const preHandlers = [route.preHandler ?? []].flat()
  if (limitedAs === 'auth') route.preHandler = [...preHandlers, counters.login]
  if (limitedAs !== 'secrets') return
  // Counted before the secret is checked, so that many requests at once cannot evade the limit; right ones are given
  // back.
  const countSecret: Hook = async (request, reply) => {
    await counters.secret(request, reply)
    request.isSecretCounted = true
  }
  const giveBackUnlessWrong = async (request: FastifyRequest, _reply: FastifyReply, payload: unknown) => {
    const code = (payload as { error?: { code?: string } } | null)?.error?.code ?? ''
    if (request.isSecretCounted && !wrongSecrets.has(code)) counters.giveBackSecret(request)
    return payload
  }
  route.preHandler = [...preHandlers, countSecret]
  route.preSerialization = [...[route.preSerialization ?? []].flat(), giveBackUnlessWrong]
}

/** Counts by caller; where a token is optional and is nobody's, by address. */
function countingCaller(counters: Counters): Hook {
  return async (request, reply) => {
    if (request.caller) {
      const isMessage = request.routeOptions.config.limitedAs === 'messages'
      await (isMessage ? counters.message : counters.caller)(request, reply)
    } else if (hasToken(request)) {
      await counters.address(request, reply)
    }
  }
}

/** For a token that is nobody's: attempts to guess one count as well. */
function countingGuesses(authenticate: (request: FastifyRequest) => Promise<void>, counters: Counters): Hook {
  return async (request, reply) => {
    try {
      await authenticate(request)
    } catch (error) {
      const isGuess = error instanceof ApiError && error.code === 'no_auth' && hasToken(request)
      if (isGuess) await counters.address(request, reply)
      throw error
    }
  }
}

function hasToken(request: FastifyRequest): boolean {
  return readToken(request.headers.authorization) !== undefined
}
