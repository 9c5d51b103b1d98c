import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { actorInHouse } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readPage } from '../../http/schemas/pages.ts'
import { callerInHouse, IdParam, IdParams, PageQuery } from '../../http/schemas/params.ts'
import { banUser, liftBan, requireBanAccess } from './operations.ts'
import { listBans } from './queries.ts'
import { Ban, BanUser, LiftedBan } from './schemas.ts'
import { serializeBan } from './serializers.ts'

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
          '`before`, `after` and `around` are ids of banned users. The id of another user stands for the time encoded in it.',
        params: IdParam,
        querystring: PageQuery,
        response: { 200: Success(Type.Array(Ban)), ...failures },
      },
    },
    async (request) => {
      const page = readPage(request.query)
      const { house_id } = await requireBanAccess(app.db, callerInHouse(request))
      return ok((await listBans(app.db, house_id, page)).map(serializeBan))
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
      return ok(await app.publish(await banUser(app.db, actorInHouse(request), target)))
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
      ok(await app.publish(await liftBan(app.db, actorInHouse(request), request.params.user_id))),
  )
}
