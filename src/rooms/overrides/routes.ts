import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { fieldsRequired } from '../../errors.ts'
import { type AllowDeny, isContradictory } from '../../houses/permissions.ts'
import { auditReason } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParam, IdParams } from '../../http/schemas/params.ts'
import { requireRoomAccess } from '../access-operations.ts'
import { EditDefaultPermissions, SetOverride } from '../house-rooms/schemas.ts'
import { Room } from '../schemas.ts'
import { editDefaultPermissions, removeOverride, setOverride } from './operations.ts'

const OverrideParams = IdParams('id', 'target_id')

export const overrideRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.patch(
    '/rooms/:id/default-permissions',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'editDefaultPermissions',
        summary: "Set a room's default permission override",
        description:
          'Requires MANAGE_ROOMS. Changes only bits that you hold. Zero in both fields removes the override.',
        tags: ['rooms'],
        params: IdParam,
        body: EditDefaultPermissions,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      refuseContradiction(request.body)
      const reason = auditReason(request)
      const access = await requireRoomAccess(app.db, request.params.id, request.caller.id)
      return ok(
        await app.publish(await editDefaultPermissions(app.db, access, request.body, reason), request.caller),
      )
    },
  )

  app.put(
    '/rooms/:id/overrides/:target_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'setOverride',
        summary: 'Set the permission override of a role or member in a room',
        description:
          'Requires MANAGE_ROOMS for a role (type 0), MANAGE_USER_OVERRIDES for a member (type 1).',
        tags: ['rooms'],
        params: OverrideParams,
        body: SetOverride,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      const { params, body, caller } = request
      refuseContradiction(body)
      const reason = auditReason(request)
      const access = await requireRoomAccess(app.db, params.id, caller.id)
      return ok(
        await app.publish(await setOverride(app.db, access, params.target_id, body, reason), request.caller),
      )
    },
  )

  app.delete(
    '/rooms/:id/overrides/:target_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'removeOverride',
        summary: 'Remove the permission override of a role or member in a room',
        description: 'Requires MANAGE_ROOMS for a role, MANAGE_USER_OVERRIDES for a member.',
        tags: ['rooms'],
        params: OverrideParams,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      const { params, caller } = request
      const reason = auditReason(request)
      const access = await requireRoomAccess(app.db, params.id, caller.id)
      return ok(
        await app.publish(await removeOverride(app.db, access, params.target_id, reason), request.caller),
      )
    },
  )
}

/** Throws `invalid_schema` for a body that allows and denies the same bit, before the room is looked up. */
function refuseContradiction(body: AllowDeny): void {
  if (isContradictory(body)) throw fieldsRequired('allow', 'deny')
}
