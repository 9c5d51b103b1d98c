import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { IdParam, IdParams } from '../http/params.ts'
import { asId } from '../ids.ts'
import { compactUser } from '../users/forms.ts'
import { findUser } from '../users/queries.ts'
import { CompactUser } from '../users/schemas.ts'
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
        summary: 'List own friends, by username',
        tags: ['relationships'],
        response: { 200: Success(Type.Array(CompactUser)), ...failures },
      },
    },
    async (request) => ok((await listRelated(app.db, request.caller.id, friends)).map(compactUser)),
  )

  app.delete(
    '/relationships/@me/friends/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'unfriend',
        summary: 'Unfriend',
        tags: ['relationships'],
        params: IdParam,
        response: { 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      await app.publish(await unfriend(app.db, request.caller.id, request.params.id))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/relationships/@me/friend-requests',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listFriendRequests',
        summary: 'List open friend requests, incoming and outgoing',
        tags: ['relationships'],
        response: { 200: Success(FriendRequests), ...failures },
      },
    },
    async (request) => {
      const rows = await listFriendRequests(app.db, request.caller.id)
      const incoming = rows.filter((row) => row.type === incomingRequest).map(compactUser)
      const outgoing = rows.filter((row) => row.type === outgoingRequest).map(compactUser)
      return ok({ incoming, outgoing })
    },
  )

  app.post(
    '/relationships/@me/friend-requests',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'requestFriendship',
        summary: 'Ask somebody to be friends, or accept their request',
        tags: ['relationships'],
        body: RequestFriendship,
        response: { 200: Success(Relationship), ...failures },
      },
    },
    async (request) => {
      const outcome = await requestFriendship(app.db, request.caller.id, asId(request.body.user_id))
      return ok(await app.publish(outcome))
    },
  )

  app.delete(
    '/relationships/@me/friend-requests/:user_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'withdrawFriendRequest',
        summary: 'Cancel an own friend request, or decline theirs',
        tags: ['relationships'],
        params: IdParams('user_id'),
        response: { 200: Success(Relationship), ...failures },
      },
    },
    async (request) => {
      const outcome = await withdrawFriendRequest(app.db, request.caller.id, request.params.user_id)
      return ok(await app.publish(outcome))
    },
  )

  app.get(
    '/relationships/:user_id/mutual-friends',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listMutualFriends',
        summary: 'List the friends in common with somebody, by username',
        tags: ['relationships'],
        params: IdParams('user_id'),
        response: { 200: Success(Type.Array(CompactUser)), ...failures },
      },
    },
    async (request) => {
      const { user_id } = request.params
      if (!(await findUser(app.db, user_id))) throw new ApiError('user_not_found')
      const rows = await listMutualFriends(app.db, request.caller.id, user_id)
      return ok(rows.map(compactUser))
    },
  )
}
