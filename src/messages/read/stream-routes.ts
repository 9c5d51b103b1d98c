import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readPage } from '../../http/schemas/pages.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { ListedMessage, MessagePageQuery } from '../schemas.ts'
import { presentMessages } from './extension-operations.ts'
import { listOwnFeed } from './feed-operations.ts'
import { listOwnMentions } from './mention-operations.ts'

export const streamRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/streams/@me/mentions',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listOwnMentions',
        summary: 'List the messages that mention you',
        tags: ['messages'],
        querystring: MessagePageQuery,
        response: { 200: Success(Type.Array(ListedMessage)), ...failures },
      },
    },
    async ({ caller, query: { extended, ...page } }) => {
      const rows = await listOwnMentions(app.db, caller.id, readPage(page))
      return ok(await presentMessages(app.db, { user_id: caller.id, extended, origin: publicUrl(app) }, rows))
    },
  )

  app.get(
    '/streams/@me/feed',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listOwnFeed',
        summary: 'List the messages of all house rooms you can read',
        tags: ['messages'],
        querystring: MessagePageQuery,
        response: { 200: Success(Type.Array(ListedMessage)), ...failures },
      },
    },
    async ({ caller, query: { extended, ...page } }) => {
      const rows = await listOwnFeed(app.db, caller, readPage(page))
      return ok(await presentMessages(app.db, { user_id: caller.id, extended, origin: publicUrl(app) }, rows))
    },
  )
}
