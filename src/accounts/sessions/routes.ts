import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readListPage } from '../../http/schemas/pages.ts'
import { IdParam, ListQuery } from '../../http/schemas/params.ts'
import { EndedSession, LoginSession } from '../schemas.ts'
import { serializeLoginSession } from '../serializers.ts'
import { endSession } from './operations.ts'
import { listSessions } from './queries.ts'

export const sessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/users/@me/sessions',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listSessions',
        summary: 'List your login sessions, newest first',
        description: 'Page with `before`, the id of a session.',
        tags: ['accounts'],
        querystring: ListQuery,
        response: { 200: Success(Type.Array(LoginSession)), ...failures },
      },
    },
    async ({ caller, query }) => {
      const rows = await listSessions(app.db, caller.id, readListPage(query))
      return ok(rows.map((row) => serializeLoginSession(row, caller.session_id)))
    },
  )

  app.delete(
    '/users/@me/sessions/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'endSession',
        summary: 'End one of your login sessions',
        tags: ['accounts'],
        params: IdParam,
        response: { 200: Success(EndedSession), ...failures },
      },
    },
    async (request) => ok(await app.publish(await endSession(app.db, request.caller.id, request.params.id))),
  )
}
