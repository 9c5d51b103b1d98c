import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readPage } from '../../http/schemas/pages.ts'
import { PageQuery } from '../../http/schemas/params.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { Message } from '../schemas.ts'
import { serializeMessage } from '../serializers.ts'
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
        querystring: PageQuery,
        response: { 200: Success(Type.Array(Message)), ...failures },
      },
    },
    async ({ caller, query }) => {
      const rows = await listOwnMentions(app.db, caller.id, readPage(query))
      return ok(rows.map((row) => serializeMessage(row, publicUrl(app))))
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
        querystring: PageQuery,
        response: { 200: Success(Type.Array(Message)), ...failures },
      },
    },
    async ({ caller, query }) => {
      const rows = await listOwnFeed(app.db, caller.id, readPage(query))
      return ok(rows.map((row) => serializeMessage(row, publicUrl(app))))
    },
  )
}
