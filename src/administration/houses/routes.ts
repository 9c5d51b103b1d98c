import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { readAscendingPage } from '../../http/schemas/pages.ts'
import { IdParam } from '../../http/schemas/params.ts'
import { AdministeredHouse, AdministeredId, AdminListQuery } from '../schemas.ts'
import { serializeAdministeredHouse } from '../serializers.ts'
import { deleteAnyHouse } from './operations.ts'
import { listHouses } from './queries.ts'

export const houseAdministrationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/admin/houses',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'listAdministeredHouses',
        summary: 'List the houses of the server, by id',
        description: '`q` is an id, or part of a name.',
        tags: ['administration'],
        querystring: AdminListQuery,
        response: { 200: Success(Type.Array(AdministeredHouse)), ...failures },
      },
    },
    async ({ query }) => {
      const rows = await listHouses(app.db, { q: query.q, ...readAscendingPage(query) })
      return ok(rows.map(serializeAdministeredHouse))
    },
  )

  app.delete(
    '/admin/houses/:id',
    {
      onRequest: app.authenticateAdmin,
      schema: {
        operationId: 'deleteAdministeredHouse',
        summary: 'Delete any house',
        tags: ['administration'],
        params: IdParam,
        response: { 200: Success(AdministeredId), ...failures },
      },
    },
    async ({ caller, params }) => ok(await app.publish(await deleteAnyHouse(app.db, caller, params.id))),
  )
}
