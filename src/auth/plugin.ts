import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Db } from '../database/client.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import { isReceiving } from '../http/bodies/early-refusal.ts'
import { type Caller, findAdmin, findCaller, touchSessions } from './queries.ts'
import { hashTokenHex, readToken } from './tokens.ts'

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Finds the caller that a token hash (hex) belongs to. It may put other things that it finds on the request. */
type FindCaller = (tokenHash: string, request: FastifyRequest) => Promise<Caller | undefined>

declare module 'fastify' {
  interface FastifyInstance {
    /** `onRequest` of a route with a caller: fills `request.caller`, or throws `no_auth`. */
    authenticate: Hook
    /** The same for admins; to everybody else the route is `not_found`. */
    authenticateAdmin: Hook
    /** The same with a query of the route's own, which also finds what the route needs next, in one statement. */
    authenticateBy(find: FindCaller): Hook
    /** `onRequest` of a route with an optional caller: a missing or faulty token is ignored. */
    authenticateOptional: Hook
  }
  interface FastifyRequest {
    /** Only after `authenticate`, or after `authenticateOptional` of a good token. */
    caller: Caller
    /**
     * Finds the caller again, who may have lost their token or access, or throws what the authentication throws. Undefined
     * if the body had arrived when the caller was found. A handler that reads its body itself calls it.
     */
    readCallerAgain: (() => Promise<void>) | undefined
    /** The same, whenever the body has arrived: for what takes long before it changes something. */
    requireCaller: () => Promise<void>
  }
}

const authenticators = new WeakSet<object>()

/** Whether a hook finds out who is calling. */
export function isAuthenticator(hook: object): boolean {
  return authenticators.has(hook)
}

/**
 * Decorates the app with the hooks that find out who is calling (docs/api.md#authentication), and count the request as
 * soon as that is known. Sets `security` on every route that needs a caller: for the API document, and for the hooks
 * that depend on it.
 */
export function registerAuthentication(app: FastifyInstance, db: Db, countRequest: Hook): void {
  app.decorateRequest('caller')
  app.decorateRequest('readCallerAgain')
  app.decorateRequest('requireCaller')
  const touch = sessionToucher(app, db)

  /** A missing or malformed token has no caller, which `refusal` refuses, if there is one. */
  function authenticator(find: FindCaller, refusal?: ErrorCode): Hook {
    const authenticate: Hook = async (request, reply) => {
      const token = readToken(request.headers.authorization)
      const read = async () => (token === undefined ? undefined : find(hashTokenHex(token), request))
      const caller = await read()
      if (caller) request.caller = caller
      if (caller?.is_idle) touch(caller.session_id)
      await countRequest(request, reply)
      if (!refusal) return
      if (!caller) throw new ApiError(refusal)
      request.requireCaller = readAgain
      if (isReceiving(request.raw)) request.readCallerAgain = readAgain

      async function readAgain(): Promise<void> {
        if (!(await read())) throw new ApiError(refusal!)
      }
    }
    authenticators.add(authenticate)
    return authenticate
  }

  const findByToken: FindCaller = (tokenHash) => findCaller(db, tokenHash)
  app.decorate('authenticate', authenticator(findByToken, 'no_auth'))
  app.decorate(
    'authenticateAdmin',
    authenticator((tokenHash) => findAdmin(db, tokenHash), 'not_found'),
  )
  app.decorate('authenticateBy', (find: FindCaller) => authenticator(find, 'no_auth'))
  app.decorate('authenticateOptional', authenticator(findByToken))
  app.addHook('onRoute', (route) => {
    const needsCaller = [route.onRequest ?? []]
      .flat()
      .some((hook) => isAuthenticator(hook) && hook !== app.authenticateOptional)
    if (!needsCaller) return
    route.schema = { ...route.schema, security: [{ token: [] }] }
    if (['GET', 'HEAD'].includes(String(route.method))) return
    route.preValidation = [readCallerAgain, ...[route.preValidation ?? []].flat()]
  })
}

/** Finds the caller again once the body has arrived: what holds then decides what they may do. */
const readCallerAgain: preValidationHookHandler = (request, _reply, done) => {
  if (!request.readCallerAgain) return done()
  request.readCallerAgain().then(() => done(), done)
}

const touchDelayMs = 1_000

/** Writes `last_seen_at` of login sessions: one statement a second for all, which no request waits for. */
function sessionToucher(app: FastifyInstance, db: Db): (sessionId: string) => void {
  const seen = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const ids = [...seen]
    seen.clear()
    // After a failure, the next request of the session writes it.
    if (ids.length > 0) await touchSessions(db, ids).catch(() => {})
  }

  app.addHook('onClose', flush)
  return (sessionId) => {
    seen.add(sessionId)
    timer ??= setTimeout(flush, touchDelayMs).unref()
  }
}
