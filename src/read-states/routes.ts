import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { IdParams } from '../http/schemas/params.ts'
import { listOwnReadStates } from './list-operations.ts'
import { ackMessage } from './operations.ts'
import { Acked, ReadStates } from './schemas.ts'

export const readStateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/users/@me/read-state',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listReadStates',
        summary: 'List your read states by room',
        tags: ['messages'],
        response: { 200: Success(ReadStates), ...failures },
      },
    },
    async ({ caller }) => ok(await listOwnReadStates(app.db, caller)),
  )

  app.post(
    '/rooms/:id/messages/:message_id/ack',
    {
      config: { goesOnWhenFull: true },
      onRequest: app.authenticate,
      schema: {
        operationId: 'ackMessage',
        summary: 'Mark a room as read up to a message',
        tags: ['messages'],
        params: IdParams('id', 'message_id'),
        response: { 200: Success(Acked), ...failures },
      },
    },
    async ({ caller, params }) =>
      ok(await app.publish(await ackMessage(app.db, caller.id, params.id, params.message_id))),
  )
}
