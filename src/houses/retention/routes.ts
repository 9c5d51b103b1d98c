import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actorInHouse } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { callerInHouse, IdParam } from '../../http/schemas/params.ts'
import { getRetention, setRetention } from './operations.ts'
import { Retention, SetRetention } from './schemas.ts'

export const retentionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { messagesMaxAgeMs } = app.config
  const serverMaxAge = messagesMaxAgeMs === undefined ? null : messagesMaxAgeMs / 1_000

  app.get(
    '/houses/:id/retention',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getRetention',
        summary: 'Fetch how long the messages of a house stay',
        tags: ['houses'],
        params: IdParam,
        response: { 200: Success(Retention), ...failures },
      },
    },
    async (request) => ok(await getRetention(app.db, callerInHouse(request), serverMaxAge)),
  )

  app.put(
    '/houses/:id/retention',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'setRetention',
        summary: 'Set how long the messages of a house stay',
        tags: ['houses'],
        params: IdParam,
        body: SetRetention,
        response: { 200: Success(Retention), ...failures },
      },
    },
    async (request) => {
      const { max_age } = request.body
      return ok(await app.publish(await setRetention(app.db, actorInHouse(request), max_age, serverMaxAge)))
    },
  )
}
