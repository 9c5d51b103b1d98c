import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { type DatabaseSpace, unknownSpace } from '../../database/space/watch-space.ts'
import { ApiError } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route writes so little that it goes on while the disk of the database is full. */
    goesOnWhenFull?: boolean
  }
  interface FastifyInstance {
    databaseSpace: DatabaseSpace
    /** Requests refused so far because the disk of the database is full. */
    refusedForSpace: number
    /** Throws `unavailable` while the disk of the database is full. */
    requireDatabaseSpace(): void
  }
}

const growing = new Set(['POST', 'PUT', 'PATCH'])

/** Whether the requests of a route make the database grow: those that delete do not. */
export function makesGrow(method: string | string[], config: { goesOnWhenFull?: boolean } = {}): boolean {
  return [method].flat().some((each) => growing.has(each)) && !config.goesOnWhenFull
}

/** Refuses what makes the database grow with 503 while its disk is full (docs/api.md#a-full-disk). */
export function refuseGrowth(app: FastifyInstance, space: DatabaseSpace = unknownSpace): void {
  app.decorate('databaseSpace', space)
  app.decorate('refusedForSpace', 0)
  function refusal(): ApiError | undefined {
    if (space.state !== 'full') return undefined
    app.refusedForSpace += 1
    return new ApiError('unavailable')
  }
  app.decorate('requireDatabaseSpace', () => {
    const error = refusal()
    if (error) throw error
  })
  const refuse: onRequestHookHandler = (_request, _reply, done) => done(refusal())
  app.addHook('onRoute', (route) => {
    if (!makesGrow(route.method, route.config)) return
    route.onRequest = [refuse, ...[route.onRequest ?? []].flat()]
  })
}
