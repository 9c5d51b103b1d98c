import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success, sendJson } from '../http/envelope.ts'
import { IdParam, ListQuery, readListPage } from '../http/params.ts'
import { leaveGroup } from './group-operations.ts'
import { listOwnPrivateRooms } from './private-room-list-operations.ts'
import { createPrivateRoom } from './private-room-operations.ts'
import { CreatePrivateRoom, missingRecipient } from './private-room-schemas.ts'
import { Room } from './schemas.ts'

export const privateRoomRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/users/@me/rooms',
    {
      config: { missingFields: (body, { caller }) => missingRecipient(body, caller.id) },
      onRequest: app.authenticate,
      schema: {
        operationId: 'createPrivateRoom',
        summary: 'Create a private room',
        description:
          'The room with one `recipient`, the existing one if there is one; or a new group of `recipients`.',
        tags: ['private rooms'],
        body: CreatePrivateRoom,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await createPrivateRoom(app.db, request.caller.id, request.body))),
  )

  app.get(
    '/users/@me/rooms',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listPrivateRooms',
        summary: 'List own private rooms, latest activity first',
        description:
          'Activity is the newest message, else the creation: `last_message_id`, else `id`. An answer holds 3.5 MiB at most; the rest follows by `before`, until a page is empty.',
        tags: ['private rooms'],
        querystring: ListQuery,
        response: { 200: Success(Type.Array(Room)), ...failures },
      },
    },
    async ({ caller, query }, reply) =>
      sendJson(reply, await listOwnPrivateRooms(app.db, caller.id, readListPage(query))),
  )

  app.delete(
    '/users/@me/rooms/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'leaveGroup',
        summary: 'Leave a private group room',
        tags: ['private rooms'],
        params: IdParam,
        response: { 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      await app.publish(await leaveGroup(app.db, request.caller.id, request.params.id))
      return reply.code(204).send(null)
    },
  )
}
