import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../http/envelope.ts'
import { callerInHouse, IdParam, IdParams, PageQuery, readPage } from '../http/params.ts'
import { ban } from './forms.ts'
import { banUser, liftBan, reachBans } from './operations.ts'
import { listBans } from './queries.ts'
import { Ban, BanUser, LiftedBan } from './schemas.ts'

export const banRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/houses/:id/bans',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listBans',
        summary: 'List the bans of a house, newest first',
        tags: ['bans'],
        description:
          'Pages are named by the ids of banned users; one of somebody who is not banned stands for the time in it.',
        params: IdParam,
        querystring: PageQuery,
        response: { 200: Success(Type.Array(Ban)), ...failures },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      const { house_id } = await reachBans(app.db, callerInHouse(request))
      return ok((await listBans(app.db, house_id, page)).map(ban))
    },
  )

  app.put(
    '/houses/:id/bans/:user_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'banUser',
        summary: 'Ban a user from a house',
        tags: ['bans'],
        params: IdParams('id', 'user_id'),
        body: BanUser,
        response: { 200: Success(Ban), ...failures },
      },
    },
    async (request) => {
      const target = { user_id: request.params.user_id, reason: request.body.reason ?? null }
      return ok(await app.publish(await banUser(app.db, callerInHouse(request), target)))
    },
  )

  app.delete(
    '/houses/:id/bans/:user_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'liftBan',
        summary: 'Lift a ban',
        tags: ['bans'],
        params: IdParams('id', 'user_id'),
        response: { 200: Success(LiftedBan), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await liftBan(app.db, callerInHouse(request), request.params.user_id))),
  )
}
