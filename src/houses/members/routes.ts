import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { actorInHouse, auditReason } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success, sendJson } from '../../http/schemas/envelope.ts'
import { callerInHouse, callerInTurn, IdParam, IdParams } from '../../http/schemas/params.ts'
import { unknownId } from '../../ids.ts'
import { getMember, listHouseMembers } from './list-operations.ts'
import { kickMember } from './operations.ts'
import {
  defaultMemberLimit,
  ExtendedMemberQuery,
  ListedMember,
  MemberQuery,
  RemovedMember,
} from './schemas.ts'

export const memberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/houses/:id/members',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listMembers',
        summary: 'List the members of a house, by user id',
        description:
          'A response holds at most 3.5 MiB: page with `after` until a page is empty. `q` is a prefix of a name or username.',
        tags: ['members'],
        params: IdParam,
        querystring: MemberQuery,
        response: { 200: Success(Type.Array(ListedMember)), ...failures },
      },
    },
    async (request, reply) => {
      const { after = unknownId, limit = defaultMemberLimit, q, extended } = request.query
      const page = { after, limit: Number(limit), prefix: q, extended: extended === 'true' }
      return sendJson(reply, await listHouseMembers(app.db, callerInTurn(request), page))
    },
  )

  app.get(
    '/houses/:id/members/:user_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getMember',
        summary: 'Fetch a member of a house',
        tags: ['members'],
        params: IdParams('id', 'user_id'),
        querystring: ExtendedMemberQuery,
        response: { 200: Success(ListedMember), ...failures },
      },
    },
    async (request) => {
      const { params, query } = request
      const asked = { user_id: params.user_id, extended: query.extended === 'true' }
      return ok(await getMember(app.db, callerInHouse(request), asked))
    },
  )

  app.delete(
    '/houses/:id/members/:user_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'kickMember',
        summary: 'Remove a member from a house',
        tags: ['members'],
        params: IdParams('id', 'user_id'),
        response: { 200: Success(RemovedMember), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await kickMember(app.db, actorInHouse(request), request.params.user_id))),
  )

  // Existing clients send this path. It matches digits only, so that it hides no other route.
  app.delete(
    '/:house_id(^[0-9]+$)/members/:user_id(^[0-9]+$)',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'kickMemberByShortPath',
        summary: 'Remove a member from a house (short path)',
        tags: ['members'],
        params: IdParams('house_id', 'user_id'),
        response: { 200: Success(RemovedMember), ...failures },
      },
    },
    async (request) => {
      const { params, caller: by } = request
      const caller = { house_id: params.house_id, user_id: by.id, reason: auditReason(request) }
      return ok(await app.publish(await kickMember(app.db, caller, params.user_id)))
    },
  )
}
