import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { auditReason } from '../../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParam, IdParams } from '../../http/schemas/params.ts'
import { publicUrl } from '../../http/server/public-url.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { presentMessages } from '../read/extension-operations.ts'
import { ListedMessage } from '../schemas.ts'
import { pinMessage, unpinMessage } from './operations.ts'
import { listPins } from './queries.ts'
import { Pin } from './schemas.ts'

const PinParams = IdParams('id', 'message_id')

export const pinRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    '/rooms/:id/pins/:message_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'pinMessage',
        summary: 'Pin a message',
        tags: ['messages'],
        params: PinParams,
        response: { 200: Success(Pin), ...failures },
      },
    },
    async (request) => {
      const { id: room_id, message_id } = request.params
      const pinning = { room_id, message_id, reason: auditReason(request) }
      return ok(await app.publish(await pinMessage(app.db, request.caller.id, pinning)))
    },
  )

  app.delete(
    '/rooms/:id/pins/:message_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'unpinMessage',
        summary: 'Unpin a message',
        tags: ['messages'],
        params: PinParams,
        response: { 200: Success(Pin), ...failures },
      },
    },
    async (request) => {
      const { id: room_id, message_id } = request.params
      const pinning = { room_id, message_id, reason: auditReason(request) }
      return ok(await app.publish(await unpinMessage(app.db, request.caller.id, pinning)))
    },
  )

  app.get(
    '/rooms/:id/pins',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listPins',
        summary: 'List the pinned messages of a room, latest pin first',
        tags: ['messages'],
        params: IdParam,
        response: { 200: Success(Type.Array(ListedMessage)), ...failures },
      },
    },
    async ({ caller, params }) => {
      await requireRoomAccess(app.db, params.id, caller.id)
      const rows = await listPins(app.db, params.id)
      const reader = { user_id: caller.id, extended: 'true', origin: publicUrl(app) } as const
      return ok(await presentMessages(app.db, reader, rows))
    },
  )
}
