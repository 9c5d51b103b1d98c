import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError, RateLimitError } from '../errors.ts'
import { inBlocks } from '../http/load/block-limit.ts'
import {
  type Bucket,
  createRateLimit,
  type RateLimit,
  type RateLimitOptions,
  unlimited,
} from '../http/load/rate-limit.ts'
import { networkOf } from '../http/server/address.ts'
import { asId } from '../ids.ts'
import { isAuthenticator } from './plugin.ts'
import { type Caller, findIdByLogin } from './queries.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a route counts as (docs/api.md#rate-limits), where it is not simply a request with or without a caller:
     * `messages` (user and room `:id`, and as a request of the caller as well), `reactions` (user, and as a request as
     * well), `auth` (address and login), `registration` (address), `files` (address, for the files of the web client), or
     * `secrets`: its wrong passwords and codes, or `changes`: what it has delivered to others.
     */
    limitedAs?: 'messages' | 'reactions' | 'auth' | 'registration' | 'files' | 'secrets' | 'changes'
  }
}

/** Counts a request, sets the headers with the numbers, and throws `RateLimitError` when it is one too many. */
export type CountRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Limits by account, independent of the address: mails to addresses that it gives, mails to its own address … */
export type AccountLimits = Record<
  | 'codes'
  | 'mistypedCodes'
  | 'notices'
  | 'guessNotices'
  | 'messages'
  | 'namedMails'
  | 'ownMails'
  | 'privateRooms'
  | 'uploads'
  | 'text'
  | 'webhooks'
  | 'webhooksOfOwner'
  | 'exports'
  | 'pushSubscriptions'
  | 'pictures'
  | 'typing',
  RateLimit
>

/** Messages of all webhooks in the houses of a user: as many as they may send requests. */
const webhooksOfOwnerLimit = { burst: 100, refillMs: 20 }
/** Exports of an account: two a day. */
const exportLimit = { burst: 2, refillMs: 43_200_000 }
/** Wrong codes of the second factor of an account: 10 an hour. */
const codeLimit = { burst: 10, refillMs: 360_000 }
/** Wrong codes of an account that may be typing errors; past them, its owner gets a mail. */
const mistypedCodeLimit = { burst: 4, refillMs: 3_600_000 }
/** Mails to an account about what protects it: five an hour. */
const noticeLimit = { burst: 5, refillMs: 720_000 }
/** Mails to an account about wrong codes: one in six hours. */
const guessNoticeLimit = { burst: 1, refillMs: 21_600_000 }
/** Push subscriptions of a user: 20 an hour. */
const pushSubscriptionLimit = { burst: 20, refillMs: 180_000 }
/** Work on the pictures of a person, in units of 100 ms: 80 s, and 1 s a minute. */
const pictureLimit = { burst: 800, refillMs: 6_000 }

/** Bytes of text that a process takes from Redis at once. */
const textBlockBytes = 65_536
/** Signals of typing of a person that are sent to others: 5 a second. */
const typingLimit = { burst: 20, refillMs: 200 }

/** The limits of an installation. */
export function createRateLimits(
  { rateLimit, rateLimits, uploads, text }: Config,
  options: RateLimitOptions,
) {
  const names: string[] = []
  const create = (name: string, limit: Config['uploads']) => {
    names.push(name)
    return rateLimit ? createRateLimit(name, limit, options) : unlimited
  }
  const message = create('messages', rateLimits.messages)
  const accounts: AccountLimits = {
    codes: create('codes', codeLimit),
    mistypedCodes: create('mistyped_codes', mistypedCodeLimit),
    notices: create('notices', noticeLimit),
    guessNotices: create('guess_notices', guessNoticeLimit),
    messages: message,
    namedMails: create('mails', rateLimits.mails),
    ownMails: create('own_mails', rateLimits.mails),
    privateRooms: create('private_rooms', rateLimits.privateRooms),
    uploads: create('uploads', uploads),
    text: options.shared ? inBlocks(create('text', text), textBlockBytes) : create('text', text),
    webhooks: create('webhooks', rateLimits.webhooks),
    webhooksOfOwner: create('webhooks_of_owner', webhooksOfOwnerLimit),
    exports: create('exports', exportLimit),
    pushSubscriptions: create('push_subscriptions', pushSubscriptionLimit),
    pictures: create('pictures', pictureLimit),
    typing: create('typing', typingLimit),
  }
  const requests = {
    address: create('address', rateLimits.address),
    caller: create('requests', rateLimits.requests),
    addressUsers: create('address_users', rateLimits.addressUsers),
    message,
    reaction: create('reactions', rateLimits.reactions),
    registration: create('registration', rateLimits.registration),
    files: create('files', rateLimits.files),
    login: create('auth', rateLimits.auth),
    secret: create('secrets', rateLimits.auth),
  }
  return { accounts, requests, gatewayLogin: create('gateway', rateLimits.gateway), names }
}

type RequestLimits = ReturnType<typeof createRateLimits>['requests']

/** The key by which the messages of a caller to a room count. */
export function messageKey({ owner_id }: Caller, roomId: string): string {
  return `${owner_id} ${asId(roomId)}`
}

/**
 * Counts a request by its caller, a send by their room and a reaction by itself as well; without a caller by address.
 * Bots count as their owner: somebody with 25 of them may do no more.
 */
export function requestCounter(limits: RequestLimits): CountRequest {
  const { address, addressUsers, caller, message, reaction } = limits
  function alsoCounted({ caller, params, routeOptions }: FastifyRequest): Bucket | undefined {
    const { limitedAs } = routeOptions.config
    if (limitedAs === 'reactions') return reaction.bucketOf(caller.owner_id)
    if (limitedAs === 'messages') return message.bucketOf(messageKey(caller, (params as { id: string }).id))
  }
  return async (request, reply) => {
    if (!request.caller) return address.count(addressOf(request), { reply })
    // The headers of a send are those of its room, those of a reaction those of reactions.
    await caller.count(request.caller.owner_id, {
      reply,
      also: alsoCounted(request),
      beside: addressUsers.bucketOf(addressOf(request)),
    })
  }
}

/**
 * Limits the requests of routes that do not ask who is calling, by address, and logins, wrong passwords and codes
 * (docs/api.md#rate-limits). Routes with a caller count themselves, as soon as it is known who that is.
 */
export function limitRoutes(app: FastifyInstance, limits: RequestLimits, countRequest: CountRequest): void {
  const byAddress = (limit: RateLimit): CountRequest => {
    return (request, reply) => limit.count(addressOf(request), { reply })
  }
  const [countFile, countRegistration] = [byAddress(limits.files), byAddress(limits.registration)]
  const countLogin: CountRequest = async (request, reply) => {
    await limits.login.count(`${addressOf(request)} ${await accountOf(request)}`, { reply })
  }
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) await countRequest(request, reply)
  })
  app.addHook('onRoute', (route) => {
    const hooks = [route.onRequest ?? []].flat()
    const { limitedAs } = route.config ?? {}
    if (limitedAs === 'files') route.onRequest = [countFile, ...hooks]
    else if (limitedAs === 'registration') route.onRequest = [countRequest, countRegistration, ...hooks]
    else if (!hooks.some(isAuthenticator)) route.onRequest = [countRequest, ...hooks]
    if (limitedAs === 'auth') route.preHandler = [...[route.preHandler ?? []].flat(), countLogin]
    if (limitedAs === 'secrets') limitSecrets(route, limits.secret)
    if (limitedAs === 'changes') route.onRequest = [...hooks, refuseUnpaid]
  })
}

const wrongSecrets = new Set(['invalid_credentials', 'invalid_code'])

/**
 * Counts the wrong secrets of a route. Each request is counted before the secret is checked, so that many at once
 * cannot evade the limit; it is given back unless the secret was wrong.
 */
function limitSecrets(route: RouteOptions, limit: RateLimit): void {
  const { handler } = route
  route.handler = async function (request, reply) {
    const key = `${addressOf(request)} ${request.caller.id}`
    await limit.count(key, { reply, onlyRefused: true })
    let isWrong = false
    try {
      return await handler.call(this, request, reply)
    } catch (error) {
      isWrong = error instanceof ApiError && wrongSecrets.has(error.code)
      throw error
    } finally {
      if (!isWrong) await limit.giveBack(key)
    }
  }
}

/** Refuses a change while the deliveries of earlier ones of the caller are not paid. */
const refuseUnpaid: CountRequest = async ({ caller, server }) => {
  const waitMs = server.config.rateLimit ? server.gateway.weights.waitMs(caller.owner_id) : 0
  if (waitMs === 0) return
  server.gateway.weights.refused += 1
  throw new RateLimitError(waitMs, Date.now())
}

function addressOf(request: FastifyRequest): string {
  return networkOf(request.server.addressOf(request.raw))
}

/** The most characters of an unknown login that become part of the key; no account has a longer login. */
const maxLoginLength = 254

/**
 * The account that a request is about, so that all its logins count as one: that of the caller, or of the login or
 * e-mail address in the body. An unknown login counts by its text, and so does each route of OpenID Connect.
 */
async function accountOf({ caller, body, server, method, routeOptions }: FastifyRequest): Promise<string> {
  if (caller) return caller.id
  // One login by OpenID Connect takes all three of these routes.
  if (routeOptions.url?.startsWith('/auth/oidc')) return `${method} ${routeOptions.url}`
  const { login, email } = (body ?? {}) as { login?: unknown; email?: unknown }
  const given = typeof login === 'string' ? login : email
  if (typeof given !== 'string') return ''
  const name = given.slice(0, maxLoginLength)
  const isText = name.isWellFormed() && !name.includes('\u0000')
  const id = isText ? await findIdByLogin(server.db, name) : undefined
  return id ?? `@${name.replace(/^@/, '').toLowerCase()}`
}
