import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { type Caller, findCaller } from './queries.ts'
import { hashToken, readToken } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** `onRequest` of a route with a caller: fills `request.caller`, or throws `no_auth`. */
    authenticate(request: FastifyRequest): Promise<void>
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

  async function identify(request: FastifyRequest): Promise<Caller | undefined> {
    const token = readToken(request.headers.authorization)
    return token === undefined ? undefined : findCaller(db, hashToken(token).toString('hex'))
  }

  app.decorate('authenticate', async (request: FastifyRequest) => {
    const caller = await identify(request)
    if (!caller) throw new ApiError('no_auth')
    request.caller = caller
  })
  app.decorate('recognize', async (request: FastifyRequest) => {
    const caller = await identify(request)
    if (caller) request.caller = caller
  })
}
