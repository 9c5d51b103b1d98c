import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { IdParam, IdParams } from '../http/schemas/params.ts'
import { asId } from '../ids.ts'
import { findUser } from '../users/queries.ts'
import { CompactUser } from '../users/schemas.ts'
import { serializeCompactUser } from '../users/serializers.ts'
import { requestFriendship, unfriend, withdrawFriendRequest } from './operations.ts'
import { relationshipType } from './permissions.ts'
import { listFriendRequests, listMutualFriends, listRelated } from './queries.ts'
import { FriendRequests, Relationship, RequestFriendship } from './schemas.ts'

const { friends, incomingRequest, outgoingRequest } = relationshipType

export const friendshipRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/relationships/@me/friends',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listFriends',
        summary: 'List your friends, by username',
        tags: ['relationships'],
        response: { 200: Success(Type.Array(CompactUser)), ...failures },
      },
    },
    async (request) => ok((await listRelated(app.db, request.caller.id, friends)).map(serializeCompactUser)),
  )

  app.delete(
    '/relationships/@me/friends/:id',
    {
      config: { limitedAs: 'changes' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'unfriend',
        summary: 'Remove a friend',
        tags: ['relationships'],
        params: IdParam,
        response: { 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      await app.publish(await unfriend(app.db, request.caller.id, request.params.id), request.caller)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/relationships/@me/friend-requests',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listFriendRequests',
        summary: 'List pending friend requests, incoming and outgoing',
        tags: ['relationships'],
        response: { 200: Success(FriendRequests), ...failures },
      },
    },
    async (request) => {
      const rows = await listFriendRequests(app.db, request.caller.id)
      const incoming = rows.filter((row) => row.type === incomingRequest).map(serializeCompactUser)
      const outgoing = rows.filter((row) => row.type === outgoingRequest).map(serializeCompactUser)
      return ok({ incoming, outgoing })
    },
  )

  app.post(
    '/relationships/@me/friend-requests',
    {
      config: { limitedAs: 'changes' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'requestFriendship',
        summary: 'Send a friend request, or accept the one you received',
        tags: ['relationships'],
        body: RequestFriendship,
        response: { 200: Success(Relationship), ...failures },
      },
    },
    async (request) => {
      const outcome = await requestFriendship(app.db, request.caller.id, asId(request.body.user_id))
      return ok(await app.publish(outcome, request.caller))
    },
  )

  app.delete(
    '/relationships/@me/friend-requests/:user_id',
    {
      config: { limitedAs: 'changes' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'withdrawFriendRequest',
        summary: 'Cancel or decline a friend request',
        tags: ['relationships'],
        params: IdParams('user_id'),
        response: { 200: Success(Relationship), ...failures },
      },
    },
    async (request) => {
      const outcome = await withdrawFriendRequest(app.db, request.caller.id, request.params.user_id)
      return ok(await app.publish(outcome, request.caller))
    },
  )

  app.get(
    '/relationships/:user_id/mutual-friends',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listMutualFriends',
        summary: 'List the friends you share with a user, by username',
        tags: ['relationships'],
        params: IdParams('user_id'),
        response: { 200: Success(Type.Array(CompactUser)), ...failures },
      },
    },
    async (request) => {
      const { user_id } = request.params
      if (!(await findUser(app.db, user_id))) throw new ApiError('user_not_found')
      const rows = await listMutualFriends(app.db, request.caller.id, user_id)
      return ok(rows.map(serializeCompactUser))
    },
  )
}
