import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures, ok, Success } from '../http/envelope.ts'
import { deleteOwnAccount } from './deletion-operations.ts'
import { AccountId, DeleteAccount } from './schemas.ts'

export const accountDeletionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.delete(
    '/users/@me',
    {
      config: { limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'deleteOwnAccount',
        summary: 'Delete the own account and its bots; its messages stay',
        tags: ['accounts'],
        body: DeleteAccount,
        response: { 200: Success(AccountId), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await deleteOwnAccount(app.db, request.caller, request.body.password))),
  )
}
