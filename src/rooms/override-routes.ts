import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { fieldsRequired } from '../errors.ts'
import { type AllowDeny, contradicts } from '../houses/permissions.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { IdParam, IdParams } from '../http/params.ts'
import { reachRoom } from './access-operations.ts'
import { EditDefaultPermissions, SetOverride } from './house-room-schemas.ts'
import { editDefaultPermissions, removeOverride, setOverride } from './override-operations.ts'
import { Room } from './schemas.ts'

const OverrideParams = IdParams('id', 'target_id')

export const overrideRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.patch(
    '/rooms/:id/default-permissions',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'editDefaultPermissions',
        summary: 'Set what a room allows and denies everybody',
        description: 'Needs MANAGE_ROOMS; only bits the caller holds may change. Two zeros remove it.',
        tags: ['rooms'],
        params: IdParam,
        body: EditDefaultPermissions,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      refuseContradiction(request.body)
      const access = await reachRoom(app.db, request.params.id, request.caller.id)
      return ok(await app.publish(await editDefaultPermissions(app.db, access, request.body)))
    },
  )

  app.put(
    '/rooms/:id/overrides/:target_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'setOverride',
        summary: 'Set what a room allows and denies a role or a member',
        description: 'Roles (type 0) need MANAGE_ROOMS, members (type 1) MANAGE_USER_OVERRIDES.',
        tags: ['rooms'],
        params: OverrideParams,
        body: SetOverride,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      const { params, body, caller } = request
      refuseContradiction(body)
      const access = await reachRoom(app.db, params.id, caller.id)
      return ok(await app.publish(await setOverride(app.db, access, params.target_id, body)))
    },
  )

  app.delete(
    '/rooms/:id/overrides/:target_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'removeOverride',
        summary: 'Remove what a room allows and denies a role or a member',
        description: 'Roles need MANAGE_ROOMS, members MANAGE_USER_OVERRIDES.',
        tags: ['rooms'],
        params: OverrideParams,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      const { params, caller } = request
      const access = await reachRoom(app.db, params.id, caller.id)
      return ok(await app.publish(await removeOverride(app.db, access, params.target_id)))
    },
  )
}

/** A body that allows and denies the same bit is wrong before anything is looked up. */
function refuseContradiction(body: AllowDeny): void {
  if (contradicts(body)) throw fieldsRequired('allow', 'deny')
}
