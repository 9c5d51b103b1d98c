import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ApiError } from '../errors.ts'
import { requireHouse } from '../houses/access-operations.ts'
import { actorInHouse, auditReason } from '../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { callerInHouse, IdParam, IdParams } from '../http/schemas/params.ts'
import { requireRoomAccess } from './access-operations.ts'
import { CreateHouseRoom, DeletedRoom, EditRoom } from './house-rooms/schemas.ts'
import { createHouseRoom, deleteHouseRoom, editRoom } from './operations.ts'
import { findRoom } from './queries.ts'
import { Room } from './schemas.ts'
import { serializeRoom } from './serializers.ts'

export const roomRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/houses/:id/rooms',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'createHouseRoom',
        summary: 'Create a room in a house',
        description: 'Requires MANAGE_ROOMS.',
        tags: ['rooms'],
        params: IdParam,
        body: CreateHouseRoom,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) =>
      ok(
        await app.publish(await createHouseRoom(app.db, actorInHouse(request), request.body), request.caller),
      ),
  )

  app.get(
    '/rooms/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getRoom',
        summary: 'Fetch a room',
        tags: ['rooms'],
        params: IdParam,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      await requireRoomAccess(app.db, request.params.id, request.caller.id)
      const row = await findRoom(app.db, request.params.id)
      if (!row) throw new ApiError('room_not_found')
      return ok(serializeRoom(row, request.caller.id))
    },
  )

  app.patch(
    '/rooms/:id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes', refusesEmptyBody: true },
      schema: {
        operationId: 'editRoom',
        summary: 'Update a house room or a group',
        description:
          'A house room requires MANAGE_ROOMS. Any participant of a group may change its name, description and emoji.',
        tags: ['rooms'],
        params: IdParam,
        body: EditRoom,
        response: { 200: Success(Room), ...failures },
      },
    },
    async (request) => {
      const reason = auditReason(request)
      const access = await requireRoomAccess(app.db, request.params.id, request.caller.id)
      return ok(await app.publish(await editRoom(app.db, access, request.body, reason), request.caller))
    },
  )

  app.delete(
    '/rooms/:id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'deleteRoom',
        summary: 'Delete a house room',
        description: 'Requires MANAGE_ROOMS. The last room of a house cannot be deleted.',
        tags: ['rooms'],
        params: IdParam,
        response: { 200: Success(DeletedRoom), ...failures },
      },
    },
    async (request) => {
      const reason = auditReason(request)
      const access = await requireRoomAccess(app.db, request.params.id, request.caller.id)
      return ok(await app.publish(await deleteHouseRoom(app.db, access, reason), request.caller))
    },
  )

  app.delete(
    '/houses/:id/rooms/:room_id',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'deleteRoomOfHouse',
        summary: 'Delete a room, given its house',
        description: 'Requires MANAGE_ROOMS. The last room of a house cannot be deleted.',
        tags: ['rooms'],
        params: IdParams('id', 'room_id'),
        response: { 200: Success(DeletedRoom), ...failures },
      },
    },
    async (request) => {
      const { params, caller } = request
      const reason = auditReason(request)
      await requireHouse(app.db, callerInHouse(request))
      const access = await requireRoomAccess(app.db, params.room_id, caller.id)
      if (access.house_id !== params.id) throw new ApiError('room_not_found')
      return ok(await app.publish(await deleteHouseRoom(app.db, access, reason), request.caller))
    },
  )
}
