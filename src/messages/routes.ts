import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { messageKey } from '../auth/rate-limits.ts'
import { ApiError, fieldsRequired } from '../errors.ts'
import { auditReason } from '../http/schemas/audit-reason.ts'
import { failures, ok, Success } from '../http/schemas/envelope.ts'
import { readPage } from '../http/schemas/pages.ts'
import { IdParam, IdParams } from '../http/schemas/params.ts'
import { publicUrl } from '../http/server/public-url.ts'
import { asId } from '../ids.ts'
import { ackMessage } from '../read-states/operations.ts'
import { Acked } from '../read-states/schemas.ts'
import { requireRoomAccess } from '../rooms/access-operations.ts'
import { type CallerInRoomRow, findCallerInRoom } from '../rooms/caller-queries.ts'
import { canRead } from '../rooms/permissions.ts'
import { deleteMessage, editMessage, startTyping } from './operations.ts'
import { presentEdited, presentMessages, presentSent } from './read/extension-operations.ts'
import { rowsOfMessage } from './read/mention-operations.ts'
import { listMessages, listRoomMessages } from './read/page-queries.ts'
import {
  DeletedMessage,
  EditedMessage,
  EditMessage,
  EditOrAckMessage,
  ExtendedQuery,
  ListedMessage,
  MessagePageQuery,
  missingExplodingFields,
  SendMessage,
  SentMessage,
  Typing,
} from './schemas.ts'
import { type Send, toSender } from './send/operations.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller in the room of the path, on routes that authenticate with `authenticateInRoom`. */
    inRoom: CallerInRoomRow | undefined
  }
}

const MessageParams = IdParams('id', 'message_id')

export const messageRoutes: FastifyPluginAsyncTypebox<{ send: Send }> = async (app, { send }) => {
  const origin = () => publicUrl(app)

  app.decorateRequest('inRoom', undefined)
  /** Authenticates the caller, and reads their access to the room of the path in the same statement. */
  const authenticateInRoom = app.authenticateBy(async (token_hash, request) => {
    const { id } = request.params as { id: string }
    request.inRoom = await findCallerInRoom(app.db, { token_hash, room_id: asId(id) })
    return request.inRoom?.caller
  })

  app.post(
    '/rooms/:id/messages',
    {
      config: { limitedAs: 'messages', missingFields: missingExplodingFields, rowsOf: rowsOfMessage },
      onRequest: authenticateInRoom,
      schema: {
        operationId: 'sendMessage',
        summary: 'Send a message',
        tags: ['messages'],
        params: IdParam,
        querystring: ExtendedQuery,
        body: SendMessage,
        response: { 200: Success(SentMessage), ...failures },
      },
    },
    async ({ caller, inRoom, params, query, body }) => {
      const { content, nonce = null, reply_to_id: id, reply_mention: mention = true } = body
      const reply = id === undefined ? null : { id, mention }
      const outgoing = { content, nonce, exploding_age: explodingAge(body), attachment: null, reply }
      return ok(await presentSent(app.db, query, await send(caller, params.id, outgoing, toSender(inRoom!))))
    },
  )

  app.get(
    '/rooms/:id/messages',
    {
      onRequest: authenticateInRoom,
      schema: {
        operationId: 'listMessages',
        summary: 'List the messages of a room',
        tags: ['messages'],
        params: IdParam,
        querystring: MessagePageQuery,
        response: { 200: Success(Type.Array(ListedMessage)), ...failures },
      },
    },
    async ({ caller, inRoom, params, query }) => {
      const { extended, ...paging } = query
      const page = readPage(paging)
      if (!canRead(inRoom?.access ?? undefined)) throw new ApiError('room_not_found')
      const rows = await listRoomMessages(app.db, params.id, page)
      return ok(await presentMessages(app.db, { user_id: caller.id, extended, origin: origin() }, rows))
    },
  )

  app.get(
    '/rooms/:id/messages/:message_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'getMessage',
        summary: 'Fetch a message',
        tags: ['messages'],
        params: MessageParams,
        querystring: ExtendedQuery,
        response: { 200: Success(ListedMessage), ...failures },
      },
    },
    async ({ caller, params, query }) => {
      await requireRoomAccess(app.db, params.id, caller.id)
      const [row] = await listMessages(app.db, [params.id], [params.message_id])
      if (!row) throw new ApiError('message_not_found')
      const [message] = await presentMessages(
        app.db,
        { user_id: caller.id, extended: query.extended, origin: origin() },
        [row],
      )
      return ok(message!)
    },
  )

  app.patch(
    '/rooms/:id/messages/:message_id',
    {
      config: { limitedAs: 'messages', rowsOf: rowsOfMessage },
      onRequest: app.authenticate,
      schema: {
        operationId: 'editMessage',
        summary: 'Edit a message',
        tags: ['messages'],
        params: MessageParams,
        querystring: ExtendedQuery,
        body: EditMessage,
        response: { 200: Success(EditedMessage), ...failures },
      },
    },
    async ({ caller, params, query, body }) => {
      const message = await app.publish(await editMessage(app.db, caller, params, body.content, origin()))
      return ok(await presentEdited(app.db, query, message))
    },
  )

  app.post(
    '/rooms/:id/messages/:message_id',
    {
      config: { goesOnWhenFull: true, rowsOf: rowsOfMessage },
      onRequest: app.authenticate,
      schema: {
        operationId: 'editOrAckMessage',
        summary: 'Edit a message (body with `content`) or mark it as read (without)',
        tags: ['messages'],
        params: MessageParams,
        querystring: ExtendedQuery,
        body: EditOrAckMessage,
        response: { 200: Success(Type.Union([EditedMessage, Acked])), ...failures },
      },
    },
    async (request, reply) => {
      const { caller, params, query, body } = request
      if (body.content === undefined) {
        return ok(await app.publish(await ackMessage(app.db, caller.id, params.id, params.message_id)))
      }
      app.requireDatabaseSpace()
      if (!request.validateInput(body, EditMessage)) throw fieldsRequired('content')
      await app.limits.messages.count(messageKey(caller, params.id), { reply })
      const content = body.content as string
      const message = await app.publish(await editMessage(app.db, caller, params, content, origin()))
      return ok(await presentEdited(app.db, query, message))
    },
  )

  app.delete(
    '/rooms/:id/messages/:message_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'deleteMessage',
        summary: 'Delete a message',
        tags: ['messages'],
        params: MessageParams,
        response: { 200: Success(DeletedMessage), ...failures },
      },
    },
    async (request) => {
      const { caller, params } = request
      const reason = auditReason(request)
      return ok(await app.publish(await deleteMessage(app.db, caller, params, { reason })))
    },
  )

  app.delete(
    '/houses/:house_id/rooms/:id/messages/:message_id',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'deleteHouseMessage',
        summary: 'Delete a message, given its house and room',
        tags: ['messages'],
        params: IdParams('house_id', 'id', 'message_id'),
        response: { 200: Success(DeletedMessage), ...failures },
      },
    },
    async (request) => {
      const { caller, params } = request
      const by = { houseId: params.house_id, reason: auditReason(request) }
      return ok(await app.publish(await deleteMessage(app.db, caller, params, by)))
    },
  )

  app.post(
    '/rooms/:id/typing',
    {
      config: { goesOnWhenFull: true },
      onRequest: app.authenticate,
      schema: {
        operationId: 'startTyping',
        summary: 'Signal that you are typing',
        tags: ['messages'],
        params: IdParam,
        response: { 200: Success(Typing), ...failures },
      },
    },
    async ({ caller, params }) => {
      const { answer, event } = await startTyping(app.db, caller, params.id)
      if (await app.limits.typing.allows(caller.owner_id)) {
        const failed = (err: unknown) => app.log.error({ err }, 'a signal of typing could not be sent')
        void app.bus.publish([event]).catch(failed)
      }
      return ok(answer)
    },
  )
}

/** The age in seconds of an exploding message, else null. Throws `invalid_schema` if the age is missing. */
function explodingAge(body: SendMessage): number | null {
  if (!body.exploding) return null
  const missing = missingExplodingFields(body)
  if (missing.length > 0) throw fieldsRequired(...missing)
  return body.exploding_age!
}
