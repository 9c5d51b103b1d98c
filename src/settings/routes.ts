import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { IdParams } from '../http/schemas/params.ts'
import { editSettings, setRoomOverride } from './operations.ts'
import { findSettings } from './queries.ts'
import { EditSettings, SetRoomOverride, SetRoomOverrideAnswer, Settings } from './schemas.ts'

export const settingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/users/@me/settings',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getSettings',
        summary: 'Fetch your settings',
        tags: ['settings'],
        response: { 200: Success(Settings), ...failures },
      },
    },
    async (request) => ok(await findSettings(app.db, request.caller.id)),
  )

  app.patch(
    '/users/@me/settings',
    {
      onRequest: app.authenticate,
      config: { limitedAs: 'changes', refusesEmptyBody: true },
      schema: {
        operationId: 'editSettings',
        summary: 'Update your settings',
        tags: ['settings'],
        body: EditSettings,
        response: { 200: Success(Settings), ...failures },
      },
    },
    async (request) =>
      ok(await app.publish(await editSettings(app.db, request.caller.id, request.body), request.caller)),
  )

  app.put(
    '/users/@me/settings/room_overrides/:room_id',
    {
      config: { limitedAs: 'changes' },
      onRequest: app.authenticate,
      schema: {
        operationId: 'setRoomOverride',
        summary: 'Set your notification preference for a room',
        tags: ['settings'],
        params: IdParams('room_id'),
        body: SetRoomOverride,
        response: { 200: Success(SetRoomOverrideAnswer), ...failures },
      },
    },
    async (request) => {
      const override = { user_id: request.caller.id, ...request.params, ...request.body }
      return ok(await app.publish(await setRoomOverride(app.db, override), request.caller))
    },
  )
}
