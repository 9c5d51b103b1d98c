import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success, sendJson } from '../../http/schemas/envelope.ts'
import { readListPage } from '../../http/schemas/pages.ts'
import { IdParam, ListQuery } from '../../http/schemas/params.ts'
import { Room } from '../schemas.ts'
import { leaveGroup } from './group-operations.ts'
import { listOwnPrivateRooms } from './list-operations.ts'
import { createPrivateRoom } from './operations.ts'
import { CreatePrivateRoom, missingRecipientField } from './schemas.ts'

export const privateRoomRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/users/@me/rooms',
    {
      config: { missingFields: (body, { caller }) => missingRecipientField(body, caller.id) },
      onRequest: app.authenticate,
      schema: {
        operationId: 'createPrivateRoom',
        summary: 'Create a private room, or return the existing one',
        description:
          'A `recipient` alone returns the one-to-one room with that user. `recipients` create a new group.',
        tags: ['private rooms'],
        body: CreatePrivateRoom,
        response: { 200: Success(Room), ...failures },
      },
    },
    async ({ caller, body }) => {
      const countNew = () => app.limits.privateRooms.count(caller.owner_id)
      return ok(await app.publish(await createPrivateRoom(app.db, caller.id, body, countNew), caller))
    },
  )

  app.get(
    '/users/@me/rooms',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listPrivateRooms',
        summary: 'List your private rooms, latest activity first',
        description:
          'The activity of a room is its `last_message_id`, or its `id` if it has none. A response holds at most 3.5 MiB: page with `before` until a page is empty.',
        tags: ['private rooms'],
        querystring: ListQuery,
        response: { 200: Success(Type.Array(Room)), ...failures },
      },
    },
    async ({ caller, query }, reply) =>
      sendJson(reply, await listOwnPrivateRooms(app.db, caller, readListPage(query))),
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
      await app.publish(await leaveGroup(app.db, request.caller.id, request.params.id), request.caller)
      return reply.code(204).send(null)
    },
  )
}
