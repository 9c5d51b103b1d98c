import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { AccountId, DeleteAccount } from '../schemas.ts'
import { deleteOwnAccount } from './operations.ts'

export const accountDeletionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.delete(
    '/users/@me',
    {
      config: { limitedAs: 'secrets' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'deleteOwnAccount',
        summary: 'Delete your account and its bots',
        description: 'Messages stay, under a deleted user.',
        tags: ['accounts'],
        body: DeleteAccount,
        response: { 200: Success(AccountId), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await deleteOwnAccount(app.db, request.caller, request.body.password))),
  )
}
