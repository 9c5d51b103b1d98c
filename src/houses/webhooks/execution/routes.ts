import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, fieldsInvalid, fieldsRequired, RateLimitError } from '../../../errors.ts'
import { maxBodyBytes, parseObject } from '../../../http/bodies/body.ts'
import { limitArrival } from '../../../http/bodies/body-timeout.ts'
import { readMultipart, requireMultipart, takeMultipart } from '../../../http/bodies/multipart.ts'
import { failures, ok, Success } from '../../../http/schemas/envelope.ts'
import { rowsOfMessage } from '../../../messages/read/mention-operations.ts'
import { GatewayMessage, maxContentLength, SendMessage } from '../../../messages/schemas.ts'
import type { Send } from '../../../messages/send/operations.ts'
import { type Form, formOf, type Hints, readForeign } from './body-operations.ts'
import { executeWebhook, requireExecutable } from './operations.ts'
import { discordFields, ExecuteQuery, ExecuteWebhook, WebhookAddress } from './schemas.ts'
import { serializeForDiscord } from './serializers.ts'
import { cutText, untrimmedTextOf } from './text-operations.ts'

const MessageSent = Type.Object({ ...Success(GatewayMessage).properties, ...discordFields })

export const webhookExecutionRoutes: FastifyPluginAsyncTypebox<{ send: Send }> = async (app, { send }) => {
  await takeMultipart(app, maxBodyBytes)

  app.post(
    '/webhooks/:webhook_id/:token',
    {
      bodyLimit: maxForeignBytes,
      config: { formField: 'payload', maxValues: maxForeignValues },
      onRequest: checkTokenEarly,
      schema: {
        operationId: 'executeWebhook',
        summary: 'Send a message as a webhook',
        description:
          "Takes the body of a message of Hearth, Slack or Discord, an event of GitHub (with `X-GitHub-Event`) or GitLab, a notification of Alertmanager, Grafana, Jenkins or Sentry, or any other object, and answers as that service does. Slack's and GitHub's body may be the field `payload` of a form, Discord's the part `payload_json` of a multipart body.",
        tags: ['webhooks'],
        params: WebhookAddress,
        querystring: ExecuteQuery,
        body: ExecuteWebhook,
        response: { 200: MessageSent, 204: Type.Null(), ...failures },
      },
    },
    async (request, reply) => {
      const { params, query } = request
      // Making a message of the body takes a while, so it happens only with the right token and within the rate limit.
      const requireWebhook = () => requireExecutable(app.db, params.webhook_id, params.token)
      let webhook = await requireWebhook()
      const beside = app.limits.webhooksOfOwner.bucketOf(webhook.house_owner_id)
      await app.limits.webhooks.count(webhook.id, { reply, beside })
      // A large body takes as long as several small ones.
      const further = Math.ceil(request.bodyBytes / countedBytes) - 1
      if (further > 0) {
        await app.limits.webhooksOfOwner.count(webhook.house_owner_id, {
          count: further,
          reply,
          onlyRefused: true,
        })
      }
      const isMultipart = request.isMultipart()
      const body = isMultipart ? await readParts(request) : request.body
      // The webhook may have been deleted, or its token replaced, while the parts arrived.
      if (isMultipart) webhook = await requireWebhook()
      const hints = {
        event: [request.headers['x-github-event']].flat()[0],
        isDiscord: isMultipart || query.wait !== undefined,
        service: query.service,
      }
      const message = readMessage(request, body, hints)
      // What others write there does not count to the owner's own text.
      const text = { bytes: Buffer.byteLength(message.content), rows: rowsOfMessage(message) }
      await app.countText(`webhooks of ${webhook.house_owner_id}`, text, reply)
      const sent = await executeWebhook(send, webhook, message)
      return answer(reply, sent, message.form, query)
    },
  )

  /** Large bodies are read only for who has the token, and may send now. */
  async function checkTokenEarly(request: FastifyRequest): Promise<void> {
    const bytes = Number(request.headers['content-length'] ?? maxForeignBytes)
    if (bytes <= maxBodyBytes || bytes > maxForeignBytes) return
    const { webhook_id, token } = request.params as WebhookAddress
    const { house_owner_id } = await requireExecutable(app.db, webhook_id, token)
    const waitMs = await app.limits.webhooksOfOwner.waitMs(house_owner_id)
    if (waitMs > 0) throw new RateLimitError(waitMs, Date.now())
  }
}

/** The most bytes of an event of another service, and values in it: a push of 2,000 commits has some 2 MB. */
const maxForeignBytes = 4 * 1024 * 1024
const maxForeignValues = 100_000
/** So many bytes of a body count as one message. */
const countedBytes = 64 * 1024

type ReadMessage = { form: Form; content: string; nonce: string | null }

/** What a body says. Throws `invalid_schema`. */
function readMessage(request: FastifyRequest, body: Record<string, unknown>, hints: Hints): ReadMessage {
  const form = formOf(body, hints)
  if (form !== 'own') {
    const text = untrimmedTextOf(readForeign(form, body, hints.event))
    return { form, content: cutText(text, maxContentLength), nonce: null }
  }
  const { content, nonce = null } = body
  const { properties } = SendMessage
  if (!request.validateInput(content, properties.content)) throw fieldsRequired('content')
  if (nonce !== null && !request.validateInput(nonce, properties.nonce)) throw fieldsInvalid('nonce')
  return { form, content: content as string, nonce: nonce as string | null }
}

/**
 * The fields of a multipart body. Its files are not stored; their names are written out. Throws `invalid_schema`,
 * `payload_too_large`.
 */
async function readParts(request: FastifyRequest): Promise<Record<string, unknown>> {
  await requireMultipart(request)
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw new ApiError('payload_too_large')
  const stopWaiting = limitArrival(request, () => request.raw.destroy())
  const reading = readMultipart(request, null, fieldsRequired('content'))
  const { fields, filenames, skippedBytes } = await reading.finally(stopWaiting)
  if (skippedBytes > maxBodyBytes) throw new ApiError('payload_too_large')
  const { payload_json, ...parts } = fields
  const payload = payload_json === undefined ? parts : parseObject(Buffer.from(payload_json))
  const files = filenames.map((name) => `[file: ${name}]`)
  const { content, ...rest } = payload as Record<string, unknown>
  return { ...rest, content: [...(typeof content === 'string' ? [content] : []), ...files].join('\n') }
}

/** What the sender of this form expects. */
function answer(reply: FastifyReply, sent: GatewayMessage, form: Form, { wait }: ExecuteQuery) {
  if (form === 'slack') return reply.type('text/plain; charset=utf-8').send('ok')
  if (form !== 'discord') return ok(sent)
  return wait === 'true' ? { ...ok(sent), ...serializeForDiscord(sent) } : reply.code(204).send(null)
}
