import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../http/envelope.ts'
import { IdParam, ListQuery, readListPage } from '../http/params.ts'
import { loginSession } from './forms.ts'
import { EndedSession, LoginSession } from './schemas.ts'
import { endSession } from './session-operations.ts'
import { listSessions } from './session-queries.ts'

export const sessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/users/@me/sessions',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listSessions',
        summary: 'The login sessions of the caller, newest first',
        description: 'The rest of more than `limit` follows by `before`, the id of a session.',
        tags: ['accounts'],
        querystring: ListQuery,
        response: { 200: Success(Type.Array(LoginSession)), ...failures },
      },
    },
    async ({ caller, query }) => {
      const rows = await listSessions(app.db, caller.id, readListPage(query))
      return ok(rows.map((row) => loginSession(row, caller.session_id)))
    },
  )

  app.delete(
    '/users/@me/sessions/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'endSession',
        summary: 'End a login session of the caller',
        tags: ['accounts'],
        params: IdParam,
        response: { 200: Success(EndedSession), ...failures },
      },
    },
    async (request) => ok(await app.publish(await endSession(app.db, request.caller.id, request.params.id))),
  )
}
