import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiError } from '../../errors.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParam, IdParams } from '../../http/schemas/params.ts'
import { requireRoomAccess } from '../access-operations.ts'
import { Room } from '../schemas.ts'
import { addRecipient, removeRecipient } from './group-operations.ts'
import { RemovedRecipient } from './schemas.ts'

const RecipientParams = IdParams('id', 'user_id')

export const recipientRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    '/rooms/:id/recipients/:user_id',
    {
      config: { limitedAs: 'changes' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'addRecipient',
        summary: 'Add a user to a group',
        tags: ['private rooms'],
        params: RecipientParams,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      const { id, user_id } = request.params
      return ok(await app.publish(await addRecipient(app.db, request.caller.id, id, user_id), request.caller))
    },
  )

  app.delete(
    '/rooms/:id/recipients/:user_id',
    {
      config: { limitedAs: 'changes' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'removeRecipient',
        summary: 'Remove a user from a group you own, or leave it',
        tags: ['private rooms'],
        params: RecipientParams,
        response: { 200: Success(RemovedRecipient), ...failures },
      },
    },
    async (request) => {
      const { id, user_id } = request.params
      return ok(
        await app.publish(await removeRecipient(app.db, request.caller.id, id, user_id), request.caller),
      )
    },
  )

  const calls = [
    { path: '/rooms/:id/call', operationId: 'call', summary: 'Call a room (not offered)' },
    { path: '/rooms/:id/call/decline', operationId: 'declineCall', summary: 'Decline a call (not offered)' },
  ]
  for (const { path, operationId, summary } of calls) {
    app.post(
      path,
      {
        onRequest: app.authenticate,
        schema: {
          operationId,
          summary,
          tags: ['private rooms'],
          params: IdParam,
          response: failures,
        },
      },
      async (request) => {
        await requireRoomAccess(app.db, request.params.id, request.caller.id)
        throw new ApiError('not_offered')
      },
    )
  }
}
