import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actorInHouse } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParam, IdParams } from '../../http/schemas/params.ts'
import { createEntity, deleteEntity, editEntity } from './operations.ts'
import { CreateEntity, DeletedEntity, EditEntity, Entity, HouseEntities } from './schemas.ts'

const EntityParams = IdParams('id', 'entity_id')

export const entityRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/houses/:id/entities',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'createEntity',
        summary: 'Create an entity and return all entities of the house',
        description: 'Requires MANAGE_ROOMS.',
        tags: ['entities'],
        params: IdParam,
        body: CreateEntity,
        response: { 200: Success(HouseEntities), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await createEntity(app.db, actorInHouse(request), request.body), request.caller)),
  )

  app.patch(
    '/houses/:id/entities/:entity_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes', refusesEmptyBody: true, rowsOf },
      schema: {
        operationId: 'editEntity',
        summary: 'Update an entity: name, position or order of rooms',
        description:
          'Requires MANAGE_ROOMS. A room named in `resource_pointers` moves here from its former entity.',
        tags: ['entities'],
        params: EntityParams,
        body: EditEntity,
        response: { 200: Success(Entity), ...failures },
      },
    },
    async (request) => {
      const { params, body } = request
      return ok(
        await app.publish(
          await editEntity(app.db, actorInHouse(request), params.entity_id, body),
          request.caller,
        ),
      )
    },
  )

  app.delete(
    '/houses/:id/entities/:entity_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'deleteEntity',
        summary: 'Delete an empty entity',
        description: 'Requires MANAGE_ROOMS.',
        tags: ['entities'],
        params: EntityParams,
        response: { 200: Success(DeletedEntity), ...failures },
      },
    },
    async (request) =>
      ok(
        await app.publish(
          await deleteEntity(app.db, actorInHouse(request), request.params.entity_id),
          request.caller,
        ),
      ),
  )
}

/** The rows of an entity: itself, and one for each room in it. */
function rowsOf({ resource_pointers: pointers }: Record<string, unknown>): number {
  return 1 + (Array.isArray(pointers) ? pointers.length : 0)
}
