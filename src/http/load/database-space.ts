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
  app.decorate('requireDatabaseSpace', () => {
    if (space.state !== 'full') return
    app.refusedForSpace += 1
    throw new ApiError('unavailable')
  })
  const refuse: onRequestHookHandler = (_request, _reply, done) => {
    if (space.state !== 'full') return done()
    app.refusedForSpace += 1
    done(new ApiError('unavailable'))
  }
  app.addHook('onRoute', (route) => {
    if (!makesGrow(route.method, route.config)) return
    route.onRequest = [refuse, ...[route.onRequest ?? []].flat()]
  })
}
