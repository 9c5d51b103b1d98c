import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { fieldsRequired } from '../errors.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { IdParam, PageQuery, readPage } from '../http/params.ts'
import { publicUrl } from '../http/public-url.ts'
import { message } from './forms.ts'
import { listOwnMentions } from './mention-operations.ts'
import { GatewayMessage, Message, maxExplodingAge, minExplodingAge, SendMessage } from './schemas.ts'
import { openSending } from './send-operations.ts'

export const messageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const origin = () => publicUrl(app)
  const sending = openSending(app.db, (events) => app.bus.publish(events), origin)

  app.post(
    '/rooms/:id/messages',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'sendMessage',
        summary: 'Send a message',
        tags: ['messages'],
        security: [{ token: [] }],
        params: IdParam,
        body: SendMessage,
        response: { 200: Success(GatewayMessage), ...failures },
      },
    },
    async ({ caller, params, body }) => {
      const { content, nonce = null } = body
      const outgoing = { content, nonce, exploding_age: explodingAge(body), attachment: null }
      return ok(await sending.send(caller, params.id, outgoing))
    },
  )

  app.get(
    '/streams/@me/mentions',
    {
      onRequest: app.authenticate,
      schema: {
        operationId: 'listOwnMentions',
        summary: 'List the messages that mention the caller',
        tags: ['messages'],
        security: [{ token: [] }],
        querystring: PageQuery,
        response: { 200: Success(Type.Array(Message)), ...failures },
      },
    },
    async ({ caller, query }) => {
      const rows = await listOwnMentions(app.db, caller.id, readPage(query))
      return ok(rows.map((row) => message(row, origin())))
    },
  )
}

/** The age in seconds of a message that explodes, else null. Throws `invalid_schema` when it has none. */
function explodingAge({ exploding, exploding_age: age }: SendMessage): number | null {
  if (!exploding) return null
  if (age == null || age < minExplodingAge || age > maxExplodingAge) throw fieldsRequired('exploding_age')
  return age
}
