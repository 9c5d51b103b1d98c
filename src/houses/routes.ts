import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isAdmin } from '../auth/queries.ts'
import { ApiError } from '../errors.ts'
import { maxPictureBodyBytes } from '../http/bodies/body.ts'
import { actorInHouse } from '../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { callerInHouse, callerInTurn, IdParam } from '../http/schemas/params.ts'
import { asId } from '../ids.ts'
import { Room } from '../rooms/schemas.ts'
import { getHouseDetail, listReadableRooms } from './detail-operations.ts'
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
    async (request) => {
      const { caller, body } = request
      const mayCreate = app.config.houseCreation === 'everybody' || (await isAdmin(app.db, caller.id))
      if (!mayCreate) throw new ApiError('no_permission')
      return ok(
        await app.publish(await createHouse(app.db, app.store, app.pictureBudget(request), caller.id, body)),
      )
    },
  )

  app.patch(
    '/houses/:id',
    {
      onRequest: app.authenticate,
      bodyLimit: maxPictureBodyBytes,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'editHouse',
        summary: 'Update a house',
        tags: ['houses'],
        params: IdParam,
        body: EditHouse,
        response: { 200: Success(EditedHouse), ...failures },
      },
    },
    async (request) =>
      ok(
        await app.publish(
          await editHouse(app.db, app.store, app.pictureBudget(request), actorInHouse(request), request.body),
          request.caller,
        ),
      ),
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
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'removeHouseIcon',
        summary: "Remove a house's icon",
        tags: ['houses'],
        params: IdParam,
        response: { 200: Success(EditedHouse), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await removeHouseIcon(app.db, actorInHouse(request)), request.caller)),
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
    async (request) => ok(await getHouseDetail(app.db, callerInTurn(request))),
  )

  app.get(
    '/houses/:id/rooms',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listHouseRooms',
        summary: 'List the rooms of a house that you can read',
        tags: ['houses'],
        params: IdParam,
        response: { 200: Success(Type.Array(Room)), ...failures },
      },
    },
    async (request) => ok(await listReadableRooms(app.db, callerInTurn(request))),
  )

  app.patch(
    '/houses/:id/owner',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes' },
      schema: {
        operationId: 'handOverHouse',
        summary: 'Transfer a house to another member',
        tags: ['houses'],
        params: IdParam,
        body: HandOverHouse,
        response: { 200: Success(HandedOverHouse), ...failures },
      },
    },
    async (request) => {
      const newOwnerId = asId(request.body.user_id)
      return ok(
        await app.publish(await handOverHouse(app.db, actorInHouse(request), newOwnerId), request.caller),
      )
    },
  )
}
