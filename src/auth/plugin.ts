import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { type Caller, findCaller } from './queries.ts'
import { hashTokenHex, readToken } from './tokens.ts'

/** Finds who a token hash (hex) belongs to; what else it finds it may put on the request. */
export type FindCaller = (tokenHash: string, request: FastifyRequest) => Promise<Caller | undefined>

declare module 'fastify' {
  interface FastifyInstance {
    /** `onRequest` of a route with a caller: fills `request.caller`, or throws `no_auth`. */
    authenticate(request: FastifyRequest): Promise<void>
    /** The same by a query of the route's own, which answers in one statement what the route would ask next. */
    authenticateBy(find: FindCaller): (request: FastifyRequest) => Promise<void>
    /** `onRequest` of a route with an optional caller: a missing or faulty token is ignored. */
    recognize(request: FastifyRequest): Promise<void>
  }
  interface FastifyRequest {
    /** Only after `authenticate`, or after `recognize` of a good token. */
    caller: Caller
  }
}

/** Decorates the app with the two ways of asking who is calling (API 5). */
export function identifyCallers(app: FastifyInstance, db: Db): void {
  app.decorateRequest('caller', null as unknown as Caller)

  const findByToken: FindCaller = (tokenHash) => findCaller(db, tokenHash)

  async function identify(request: FastifyRequest, find: FindCaller): Promise<Caller | undefined> {
    const token = readToken(request.headers.authorization)
    return token === undefined ? undefined : find(hashTokenHex(token), request)
  }

  function authenticateBy(find: FindCaller) {
    return async (request: FastifyRequest) => {
      const caller = await identify(request, find)
      if (!caller) throw new ApiError('no_auth')
      request.caller = caller
    }
  }

  app.decorate('authenticate', authenticateBy(findByToken))
  app.decorate('authenticateBy', authenticateBy)
  app.decorate('recognize', async (request: FastifyRequest) => {
    const caller = await identify(request, findByToken)
    if (caller) request.caller = caller
  })
}
