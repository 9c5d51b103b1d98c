import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actorInHouse } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParams } from '../../http/schemas/params.ts'
import { Member } from '../members/schemas.ts'
import { giveRole, takeRole } from './member-role-operations.ts'

const MemberRoleParams = IdParams('id', 'user_id', 'role_id')

export const memberRoleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    '/houses/:id/members/:user_id/roles/:role_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'giveRole',
        summary: 'Give a role to a member',
        description: 'Requires MANAGE_ROLES and a rank above the role. The member may be yourself.',
        tags: ['roles'],
        params: MemberRoleParams,
        response: { 200: Success(Member), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await giveRole(app.db, actorInHouse(request), request.params), request.caller)),
  )

  app.delete(
    '/houses/:id/members/:user_id/roles/:role_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'takeRole',
        summary: 'Remove a role from a member',
        description: 'Requires MANAGE_ROLES and a rank above the role. The member may be yourself.',
        tags: ['roles'],
        params: MemberRoleParams,
        response: { 200: Success(Member), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await takeRole(app.db, actorInHouse(request), request.params), request.caller)),
  )
}
