import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { fieldsInvalid } from '../../errors.ts'
import { actorInHouse } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { callerInHouse, IdParam, IdParams } from '../../http/schemas/params.ts'
import { requireHouse } from '../access-operations.ts'
import { isContradictory } from '../permissions.ts'
import { createRole, deleteRole, editRole } from './operations.ts'
import { listRoles } from './queries.ts'
import { CreateRole, DeletedRole, EditRole, Role } from './schemas.ts'
import { serializeRole } from './serializers.ts'

const RoleParams = IdParams('id', 'role_id')

export const roleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/houses/:id/roles',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listRoles',
        summary: 'List the roles of a house, highest first',
        tags: ['roles'],
        params: IdParam,
        response: { 200: Success(Type.Array(Role)), ...failures },
      },
    },
    async (request) => {
      await requireHouse(app.db, callerInHouse(request))
      return ok((await listRoles(app.db, request.params.id)).map(serializeRole))
    },
  )

  app.post(
    '/houses/:id/roles',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'createRole',
        summary: 'Create a role',
        description: 'Requires MANAGE_ROLES. The role must rank below you and have only bits that you hold.',
        tags: ['roles'],
        params: IdParam,
        body: CreateRole,
        response: { 200: Success(Role), ...failures },
      },
    },
    async (request) => {
      refuseContradiction(request.body)
      return ok(
        await app.publish(await createRole(app.db, actorInHouse(request), request.body), request.caller),
      )
    },
  )

  app.patch(
    '/houses/:id/roles/:role_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes', refusesEmptyBody: true },
      schema: {
        operationId: 'editRole',
        summary: 'Update a role',
        description: 'Requires MANAGE_ROLES and a rank above the role. Changes only bits that you hold.',
        tags: ['roles'],
        params: RoleParams,
        body: EditRole,
        response: { 200: Success(Role), ...failures },
      },
    },
    async (request) => {
      const { params, body } = request
      refuseContradiction(body)
      return ok(
        await app.publish(
          await editRole(app.db, actorInHouse(request), params.role_id, body),
          request.caller,
        ),
      )
    },
  )

  app.delete(
    '/houses/:id/roles/:role_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'deleteRole',
        summary: 'Delete a role',
        description:
          'Requires MANAGE_ROLES and a rank above the role. Removes the role from all members and overrides.',
        tags: ['roles'],
        params: RoleParams,
        response: { 200: Success(DeletedRole), ...failures },
      },
    },
    async (request) =>
      ok(
        await app.publish(
          await deleteRole(app.db, actorInHouse(request), request.params.role_id),
          request.caller,
        ),
      ),
  )
}

/** Throws `invalid_schema` for a body that allows and denies the same bit, before the house is looked up. */
function refuseContradiction({ allow = 0, deny = 0 }: { allow?: number; deny?: number }): void {
  if (isContradictory({ allow, deny })) throw fieldsInvalid('allow', 'deny')
}
