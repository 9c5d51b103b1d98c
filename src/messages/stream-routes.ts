import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../http/envelope.ts'
import { PageQuery, readPage } from '../http/params.ts'
import { publicUrl } from '../http/public-url.ts'
import { listOwnFeed } from './feed-operations.ts'
import { message } from './forms.ts'
import { listOwnMentions } from './mention-operations.ts'
import { Message } from './schemas.ts'

export const streamRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/streams/@me/mentions',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listOwnMentions',
        summary: 'List the messages that mention the caller',
        tags: ['messages'],
        querystring: PageQuery,
        response: { 200: Success(Type.Array(Message)), ...failures },
      },
    },
    async ({ caller, query }) => {
      const rows = await listOwnMentions(app.db, caller.id, readPage(query))
      return ok(rows.map((row) => message(row, publicUrl(app))))
    },
  )

  app.get(
    '/streams/@me/feed',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listOwnFeed',
        summary: 'List the messages of all house rooms the caller can read',
        tags: ['messages'],
        querystring: PageQuery,
        response: { 200: Success(Type.Array(Message)), ...failures },
      },
    },
    async ({ caller, query }) => {
      const rows = await listOwnFeed(app.db, caller.id, readPage(query))
      return ok(rows.map((row) => message(row, publicUrl(app))))
    },
  )
}
