import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { reachHouse } from '../houses/access-operations.ts'
import { holds, permission } from '../houses/permissions.ts'
import { findHouseSummary } from '../houses/queries.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { callerInHouse, IdParam } from '../http/params.ts'
import { invite, invitePreview } from './forms.ts'
import { createInvite, reachInvite, revokeInvite, useInvite } from './operations.ts'
import { listInvites } from './queries.ts'
import { CreateInvite, Invite, InviteCode, InvitePreview, JoinedHouse, RevokedInvite } from './schemas.ts'

export const inviteRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/houses/:id/invites',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'createInvite',
        summary: 'Make an invite to a house',
        tags: ['invites'],
        params: IdParam,
        body: CreateInvite,
        response: { 200: Success(Invite), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await createInvite(app.db, callerInHouse(request), request.body))),
  )

  app.get(
    '/houses/:id/invites',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listInvites',
        summary: 'List the live invites to a house, newest first',
        tags: ['invites'],
        params: IdParam,
        response: { 200: Success(Type.Array(Invite)), ...failures },
      },
    },
    async (request) => {
      const membership = await reachHouse(app.db, callerInHouse(request))
      if (!holds(membership, permission.MANAGE_INVITES)) throw new ApiError('no_permission')
      return ok((await listInvites(app.db, membership.house_id)).map(invite))
    },
  )

  app.get(
    '/invites/:code',
    {
      schema: {
        operationId: 'getInvite',
        summary: 'Look at an invite',
        tags: ['invites'],
        params: InviteCode,
        response: { 200: Success(InvitePreview), ...failures },
      },
    },
    async (request) => {
      const found = await reachInvite(app.db, request.params.code)
      const house = await findHouseSummary(app.db, found.house_id)
      if (!house) throw new ApiError('invite_not_found')
      return ok(invitePreview(found, house))
    },
  )

  app.post(
    '/invites/:code',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'useInvite',
        summary: 'Join a house by an invite',
        tags: ['invites'],
        params: InviteCode,
        body: Type.Object({}, { additionalProperties: false }),
        response: { 200: Success(JoinedHouse), ...failures },
      },
    },
    async (request) => {
      return ok(await app.publish(await useInvite(app.db, request.caller.id, request.params.code)))
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
      return ok(await app.publish(await revokeInvite(app.db, request.caller.id, request.params.code)))
    },
  )
}
