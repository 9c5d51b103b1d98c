import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'
import { maxPictureBodyBytes } from '../http/body.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { callerInHouse, IdParam } from '../http/params.ts'
import { asId } from '../ids.ts'
import { room } from '../rooms/forms.ts'
import { readableRooms } from '../rooms/permissions.ts'
import { listHouseRooms } from '../rooms/queries.ts'
import { Room } from '../rooms/schemas.ts'
import { reachHouse } from './access-operations.ts'
import { findHouseContents } from './contents-queries.ts'
import { houseDetail } from './forms.ts'
import { createHouse, deleteHouse, editHouse, handOverHouse, removeHouseIcon } from './operations.ts'
import {
  CreateHouse,
  EditedHouse,
  EditHouse,
  HandedOverHouse,
  HandOverHouse,
  House,
  HouseDetail,
} from './schemas.ts'

export const houseRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/houses',
    {
      onRequest: app.authenticate,
      bodyLimit: maxPictureBodyBytes,
      schema: {
        operationId: 'createHouse',
        summary: 'Create a house',
        tags: ['houses'],
        body: CreateHouse,
        response: { 200: Success(House), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await createHouse(app.db, app.store, request.caller.id, request.body))),
  )

  app.patch(
    '/houses/:id',
    {
      onRequest: app.authenticate,
      bodyLimit: maxPictureBodyBytes,
      schema: {
        operationId: 'editHouse',
        summary: 'Edit a house',
        tags: ['houses'],
        params: IdParam,
        body: EditHouse,
        response: { 200: Success(EditedHouse), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await editHouse(app.db, app.store, callerInHouse(request), request.body))),
  )

  app.delete(
    '/houses/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'deleteHouse',
        summary: 'Delete a house',
        tags: ['houses'],
        params: IdParam,
        response: { 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      await app.publish(await deleteHouse(app.db, callerInHouse(request)))
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/houses/:id/icon',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'removeHouseIcon',
        summary: 'Take the icon off a house',
        tags: ['houses'],
        params: IdParam,
        response: { 200: Success(EditedHouse), ...failures },
      },
    },
    async (request) => ok(await app.publish(await removeHouseIcon(app.db, callerInHouse(request)))),
  )

  app.get(
    '/houses/:id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getHouse',
        summary: 'Fetch a house',
        tags: ['houses'],
        params: IdParam,
        response: { 200: Success(HouseDetail), ...failures },
      },
    },
    async (request) => {
      const membership = await reachHouse(app.db, callerInHouse(request))
      const contents = await findHouseContents(app.db, membership.house_id)
      if (!contents) throw new ApiError('house_not_found')
      return ok(houseDetail(contents, membership))
    },
  )

  app.get(
    '/houses/:id/rooms',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listHouseRooms',
        summary: 'List the rooms of a house that the caller can read',
        tags: ['houses'],
        params: IdParam,
        response: { 200: Success(Type.Array(Room)), ...failures },
      },
    },
    async (request) => {
      const membership = await reachHouse(app.db, callerInHouse(request))
      const rooms = readableRooms(membership, await listHouseRooms(app.db, membership.house_id))
      return ok(rooms.map((row) => room(row, membership.user_id)))
    },
  )

  app.patch(
    '/houses/:id/owner',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'handOverHouse',
        summary: 'Hand a house over to another member',
        tags: ['houses'],
        params: IdParam,
        body: HandOverHouse,
        response: { 200: Success(HandedOverHouse), ...failures },
      },
    },
    async (request) => {
      const heirId = asId(request.body.user_id)
      return ok(await app.publish(await handOverHouse(app.db, callerInHouse(request), heirId)))
    },
  )
}
