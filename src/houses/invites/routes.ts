import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { actorInHouse, auditReason } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { callerInHouse, ExtendedErrors, IdParam } from '../../http/schemas/params.ts'
import { requireHouse } from '../access-operations.ts'
import { hasPermission, permission } from '../permissions.ts'
import { createInvite, previewInvite, revokeInvite, useInvite } from './operations.ts'
import { listInvites } from './queries.ts'
import {
  CreateInvite,
  Invite,
  InviteCode,
  InvitePreview,
  InviteQuery,
  JoinedHouse,
  RevokedInvite,
  UseInvite,
} from './schemas.ts'
import { serializeInvite } from './serializers.ts'

export const inviteRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/houses/:id/invites',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'createInvite',
        summary: 'Create an invite to a house',
        tags: ['invites'],
        params: IdParam,
        body: CreateInvite,
        response: { 200: Success(Invite), ...failures },
      },
    },
    async (request) => ok(await app.publish(await createInvite(app.db, actorInHouse(request), request.body))),
  )

  app.get(
    '/houses/:id/invites',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listInvites',
        summary: 'List the active invites to a house, newest first',
        tags: ['invites'],
        params: IdParam,
        response: { 200: Success(Type.Array(Invite)), ...failures },
      },
    },
    async (request) => {
      const membership = await requireHouse(app.db, callerInHouse(request))
      if (!hasPermission(membership, permission.MANAGE_INVITES)) throw new ApiError('no_permission')
      return ok((await listInvites(app.db, membership.house_id)).map(serializeInvite))
    },
  )

  app.get(
    '/invites/:code',
    {
      onRequest: app.authenticateOptional,
      schema: {
        operationId: 'getInvite',
        summary: 'Fetch an invite',
        tags: ['invites'],
        params: InviteCode,
        querystring: InviteQuery,
        response: { 200: Success(InvitePreview), ...failures },
      },
    },
    async ({ caller, params, query }) => {
      const asked = { userId: caller?.id, extended: query.extended === 'true' }
      return ok(await previewInvite(app.db, params.code, asked))
    },
  )

  app.post(
    '/invites/:code',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'useInvite',
        summary: 'Join a house with an invite',
        tags: ['invites'],
        params: InviteCode,
        querystring: ExtendedErrors,
        body: UseInvite,
        response: { 200: Success(JoinedHouse), ...failures },
      },
    },
    async ({ caller, params, query }) => {
      const outcome = await useInvite(app.db, caller.id, params.code, query.extended === 'true')
      return ok(await app.publish(outcome, caller))
    },
  )

  app.delete(
    '/invites/:code',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'revokeInvite',
        summary: 'Revoke an invite',
        tags: ['invites'],
        params: InviteCode,
        response: { 200: Success(RevokedInvite), ...failures },
      },
    },
    async (request) => {
      const actor = { user_id: request.caller.id, reason: auditReason(request) }
      return ok(await app.publish(await revokeInvite(app.db, actor, request.params.code)))
    },
  )
}
