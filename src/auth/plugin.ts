import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { type Caller, findCaller, touchSessions } from './queries.ts'
import { hashTokenHex, readToken } from './tokens.ts'

/** Finds the caller that a token hash (hex) belongs to. It may put other things that it finds on the request. */
type FindCaller = (tokenHash: string, request: FastifyRequest) => Promise<Caller | undefined>

declare module 'fastify' {
  interface FastifyInstance {
    /** `onRequest` of a route with a caller: fills `request.caller`, or throws `no_auth`. */
    authenticate(request: FastifyRequest): Promise<void>
    /** The same with a query of the route's own, which also finds what the route needs next, in one statement. */
    authenticateBy(find: FindCaller): (request: FastifyRequest) => Promise<void>
    /** `onRequest` of a route with an optional caller: a missing or faulty token is ignored. */
    recognize(request: FastifyRequest): Promise<void>
  }
  interface FastifyRequest {
    /** Only after `authenticate`, or after `recognize` of a good token. */
    caller: Caller
  }
}

const authenticators = new WeakSet<object>()

/** Whether a hook is `app.authenticate`, or one made by `app.authenticateBy`. */
export function isAuthenticator(hook: unknown): hook is (request: FastifyRequest) => Promise<void> {
  return typeof hook === 'function' && authenticators.has(hook)
}

/**
 * Decorates the app with the hooks that find out who is calling (API 5), and sets `security` on every route that needs
 * a caller: for the API document, and for the hooks that depend on it.
 */
export function identifyCallers(app: FastifyInstance, db: Db): void {
  app.decorateRequest('caller')

  const touch = sessionToucher(app, db)
  const findByToken: FindCaller = (tokenHash) => findCaller(db, tokenHash)

  /** Also undefined when there is no token, or the header cannot be one. */
  function identify(request: FastifyRequest, find: FindCaller): Promise<Caller | undefined> | undefined {
    const token = readToken(request.headers.authorization)
    return token === undefined ? undefined : find(hashTokenHex(token), request)
  }

  function enter(request: FastifyRequest, caller: Caller): void {
    request.caller = caller
    if (caller.is_idle) touch(caller.session_id)
  }

  function authenticateBy(find: FindCaller) {
    const authenticate = async (request: FastifyRequest) => {
      const caller = await identify(request, find)
      if (!caller) throw new ApiError('no_auth')
      enter(request, caller)
    }
    authenticators.add(authenticate)
    return authenticate
  }

  app.decorate('authenticate', authenticateBy(findByToken))
  app.decorate('authenticateBy', authenticateBy)
  app.decorate('recognize', async (request: FastifyRequest) => {
    const caller = await identify(request, findByToken)
    if (caller) enter(request, caller)
  })
  app.addHook('onRoute', (route) => {
    const needsCaller = [route.onRequest ?? []].flat().some(isAuthenticator)
    if (needsCaller) route.schema = { ...route.schema, security: [{ token: [] }] }
  })
}

const touchDelayMs = 1_000

/** Notes when login sessions were last used. No request waits for that: one statement a second writes all of them. */
function sessionToucher(app: FastifyInstance, db: Db): (sessionId: string) => void {
  const seen = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const ids = [...seen]
    seen.clear()
    // What cannot be written while the database is away is written after the session's next request.
    if (ids.length > 0) await touchSessions(db, ids).catch(() => {})
  }

  app.addHook('onClose', flush)
  return (sessionId) => {
    seen.add(sessionId)
    timer ??= setTimeout(flush, touchDelayMs).unref()
  }
}
