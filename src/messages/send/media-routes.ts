import { finished } from 'node:stream/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { fieldsInvalid, fieldsRequired } from '../../errors.ts'
import {
  type MultipartBody,
  readMultipart,
  requireMultipart,
  takeMultipart,
} from '../../http/bodies/multipart.ts'
import { failures, ok, Success } from '../../http/schemas/envelope.ts'
import { IdParam } from '../../http/schemas/params.ts'
import {
  type ArrivedFile,
  renewAttachment,
  requireAttachPermission,
  storeAttachment,
} from '../attachments/operations.ts'
import { cleanAttachment } from '../attachments/picture-operations.ts'
import type { StoredAttachment } from '../queries.ts'
import { presentSent } from '../read/extension-operations.ts'
import { rowsOfMessage } from '../read/mention-operations.ts'
import {
  ExtendedQuery,
  MediaFields,
  maxAttachmentBytes,
  missingExplodingFields,
  SendMediaMessage,
  SentMessage,
} from '../schemas.ts'
import type { OutgoingMessage } from './draft-operations.ts'
import type { Send } from './operations.ts'

export const mediaRoutes: FastifyPluginAsyncTypebox<{ send: Send }> = async (app, { send }) => {
  await takeMultipart(app, maxAttachmentBytes)

  app.post(
    '/rooms/:id/media_messages',
    {
      config: { limitedAs: 'messages', multipartBody: SendMediaMessage, rowsOf: rowsOfMessage },
      onRequest: [app.authenticate, requireMultipart],
      schema: {
        operationId: 'sendMediaMessage',
        summary: 'Send a message with an attachment',
        description:
          'The body has one part `file` with a file name. `exploding` and `as_file` are the text `true` or `false`, `exploding_age` decimal digits.',
        tags: ['messages'],
        params: IdParam,
        querystring: ExtendedQuery,
        response: { 200: Success(SentMessage), ...failures },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request
      // The file is stored only if the caller may send it. A refusal is sent after the whole body has been read.
      const announced = announcedBytes(request)
      const refusal = await requireAttachPermission(app.db, params.id, caller.id)
        .then(() => app.limits.uploads.count(caller.owner_id, { count: announced }))
        .catch((error: unknown) => error)
      let stored = 0
      const body = await readMultipart(request, async (file) => {
        if (refusal === undefined) {
          const content = { content: file.file, filename: file.filename }
          const arrived = await storeAttachment(app.db, app.store, params.id, content)
          stored += arrived.attachment.size
          return arrived
        }
        await finished(file.file.resume())
        return null
      }).finally(async () => {
        if (refusal === undefined) await app.limits.uploads.giveBack(caller.owner_id, announced - stored)
      })
      await request.readCallerAgain?.()
      const outgoing = readFields(request, body)
      if (refusal !== undefined) throw refusal
      await app.countTextOf(request, reply, { content: outgoing.content })
      const attachment = body.file && (await prepareFile(request, params.id, body.file, body.fields))
      const sent = await send(caller, params.id, { ...outgoing, attachment })
      return ok(await presentSent(app.db, query, sent))
    },
  )
}

/** The stored file as its message has it. A picture that became larger counts for its sender as it is. */
async function prepareFile(
  request: FastifyRequest,
  roomId: string,
  arrived: ArrivedFile,
  fields: Record<string, string>,
): Promise<StoredAttachment> {
  const { db, store, limits, pictureBudget } = request.server
  const place = { db, store, roomId }
  const isSentAsFile = fields.as_file === 'true'
  const attachment = isSentAsFile
    ? arrived.attachment
    : await cleanAttachment(place, pictureBudget(request), arrived)
  const added = attachment.size - arrived.attachment.size
  if (added > 0) await limits.uploads.count(request.caller.owner_id, { count: added })
  await renewAttachment(db, roomId, attachment)
  return attachment
}

/** The greatest size of the file in a request: its Content-Length, or 25 MiB without one. */
function announcedBytes({ headers }: FastifyRequest): number {
  return Math.min(Number(headers['content-length'] ?? maxAttachmentBytes), maxAttachmentBytes)
}

/** Reads and checks the text parts and the number of files. Throws `invalid_schema`. */
function readFields(
  request: FastifyRequest,
  { fields, files, size }: MultipartBody<ArrivedFile>,
): Omit<OutgoingMessage, 'attachment'> {
  const isWrong = (name: keyof MediaFields) =>
    fields[name] !== undefined && !request.validateInput(fields[name], MediaFields.properties[name])
  const { content = '', nonce = null } = fields
  const exploding = fields.exploding === 'true'
  const age = isWrong('exploding_age') ? 0 : Number(fields.exploding_age ?? 0)
  const lacksFile = files === 0 || (files === 1 && size === 0)
  const missing = [
    ...(lacksFile ? ['file'] : []),
    ...missingExplodingFields({ exploding, exploding_age: age }),
  ]
  if (missing.length > 0) throw fieldsRequired(...missing)
  const wrong = (Object.keys(MediaFields.properties) as (keyof MediaFields)[]).filter(isWrong)
  const names = files > 1 ? ['file', ...wrong] : wrong
  if (names.length > 0) throw fieldsInvalid(...names)
  const { reply_to_id: id } = fields
  const reply = id === undefined ? null : { id, mention: fields.reply_mention !== 'false' }
  return { content, nonce, exploding_age: exploding ? age : null, reply }
}
