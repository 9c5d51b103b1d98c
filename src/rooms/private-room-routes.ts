import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { failures, ok, Success } from '../http/envelope.ts'
import { IdParam } from '../http/params.ts'
import { room } from './forms.ts'
import { leaveGroup } from './group-operations.ts'
import { createPrivateRoom } from './private-room-operations.ts'
import { listPrivateRooms } from './private-room-queries.ts'
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
        tags: ['private rooms'],
        response: { 200: Success(Type.Array(Room)), ...failures },
      },
    },
    async (request) => {
      const rows = await listPrivateRooms(app.db, request.caller.id)
      return ok(rows.map((row) => room(row, request.caller.id)))
    },
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
