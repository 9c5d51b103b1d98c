import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { callerInHouse, IdParam } from '../http/schemas/params.ts'
import { leaveHouse } from './leaving-operations.ts'
import { listHouseSummaries } from './queries.ts'
import { HouseSummary } from './schemas.ts'
import { serializeHouseSummary } from './serializers.ts'

/** The houses the caller is in. */
export const ownHouseRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/users/@me/houses',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listOwnHouses',
        summary: 'List your houses, in order of joining',
        tags: ['houses'],
        response: { 200: Success(Type.Array(HouseSummary)), ...failures },
      },
    },
    async (request) => ok((await listHouseSummaries(app.db, request.caller.id)).map(serializeHouseSummary)),
  )

  app.delete(
    '/users/@me/houses/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'leaveHouse',
        summary: 'Leave a house',
        tags: ['houses'],
        params: IdParam,
        response: { 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      await app.publish(await leaveHouse(app.db, callerInHouse(request)))
      return reply.code(204).send(null)
    },
  )
}
