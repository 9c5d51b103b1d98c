import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readPage } from '../../http/schemas/pages.ts'
import { IdParam } from '../../http/schemas/params.ts'
import { linkNextPage } from '../../http/server/next-page.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { presentMessages } from '../read/extension-operations.ts'
import { ListedMessage, SearchQuery } from '../schemas.ts'
import { searchHouse, searchRoom } from './operations.ts'

export const searchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/rooms/:id/messages/search',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'searchRoom',
        summary: 'Search the messages of a room',
        tags: ['messages'],
        params: IdParam,
        querystring: SearchQuery,
        response: { 200: Success(Type.Array(ListedMessage)), ...failures },
      },
    },
    async ({ caller, params, query }, reply) => {
      const { rows, next } = await searchRoom(app.db, caller, params.id, readSearch(query))
      linkNextPage(reply, query, next)
      return ok(
        await presentMessages(
          app.db,
          { user_id: caller.id, extended: query.extended, origin: publicUrl(app) },
          rows,
        ),
      )
    },
  )

  app.get(
    '/houses/:id/messages/search',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'searchHouse',
        summary: 'Search the messages of a house',
        tags: ['messages'],
        params: IdParam,
        querystring: SearchQuery,
        response: { 200: Success(Type.Array(ListedMessage)), ...failures },
      },
    },
    async ({ caller, params, query }, reply) => {
      const { rows, next } = await searchHouse(app.db, caller, params.id, readSearch(query))
      linkNextPage(reply, query, next)
      return ok(
        await presentMessages(
          app.db,
          { user_id: caller.id, extended: query.extended, origin: publicUrl(app) },
          rows,
        ),
      )
    },
  )
}

function readSearch({ q, author_id, order = 'newest', extended: _, ...page }: SearchQuery) {
  return { q, order, ...(author_id !== undefined && { author_id }), ...readPage(page) }
}
