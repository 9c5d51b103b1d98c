import { finished } from 'node:stream/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest, FastifySchema } from 'fastify'
import { fieldsInvalid, fieldsRequired } from '../errors.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { type MultipartBody, readMultipart, refuseOtherTypes, takeMultipart } from '../http/multipart.ts'
import { IdParam } from '../http/params.ts'
import { holdAttachment, refuseUnlessMayAttach, storeAttachment } from './attachment-operations.ts'
import type { Outgoing } from './draft-operations.ts'
import type { StoredAttachment } from './queries.ts'
import { GatewayMessage, MediaFields, missingForExploding } from './schemas.ts'
import type { Send } from './send-operations.ts'

/** In bytes (PROTOCOL 1.6). */
const maxAttachmentBytes = 25 * 1024 * 1024

/** The multipart body in the API document; the parts themselves are checked as they are read. */
const MediaBody = Type.Object({
  ...MediaFields.properties,
  file: Type.String({ format: 'binary' }),
})

function describeParts({ schema, url }: { schema: FastifySchema; url: string }) {
  return { schema: { ...schema, consumes: ['multipart/form-data'], body: MediaBody }, url }
}

export const mediaRoutes: FastifyPluginAsyncTypebox<{ send: Send }> = async (app, { send }) => {
  await takeMultipart(app, maxAttachmentBytes)

  app.post(
    '/rooms/:id/media_messages',
    {
      config: { limitedAs: 'messages', streamsBody: true, swaggerTransform: describeParts },
      onRequest: [app.authenticate, refuseOtherTypes],
      schema: {
        operationId: 'sendMediaMessage',
        summary: 'Send a message with a file',
        description:
          'One part `file` with a file name. In the text parts, `exploding` is `true` or `false` and `exploding_age` decimal digits.',
        tags: ['messages'],
        params: IdParam,
        response: { 200: Success(GatewayMessage), ...failures },
      },
    },
    async (request) => {
      const { caller, params } = request
      // The file is stored only if the caller may send it; a refusal is answered after the whole body was read.
      const refusal = await refuseUnlessMayAttach(app.db, params.id, caller.id).then(
        () => undefined,
        (error: unknown) => error,
      )
      const body = await readMultipart(request, async (file) => {
        const { filename } = file
        if (refusal === undefined) {
          return storeAttachment(app.db, app.store, params.id, { content: file.file, filename })
        }
        await finished(file.file.resume())
        return null
      })
      const outgoing = readFields(request, body)
      if (refusal !== undefined) throw refusal
      if (body.file) await holdAttachment(app.db, params.id, body.file)
      return ok(await send(caller, params.id, { ...outgoing, attachment: body.file }))
    },
  )
}

/** The text parts. Throws `invalid_schema`. */
function readFields(
  request: FastifyRequest,
  { fields, files, size }: MultipartBody<StoredAttachment>,
): Omit<Outgoing, 'attachment'> {
  const isWrong = (name: keyof MediaFields) =>
    fields[name] !== undefined && !request.validateInput(fields[name], MediaFields.properties[name])
  const { content = '', nonce = null } = fields
  const exploding = fields.exploding === 'true'
  const age = isWrong('exploding_age') ? 0 : Number(fields.exploding_age ?? 0)
  const lacksFile = files === 0 || (files === 1 && size === 0)
  const missing = [...(lacksFile ? ['file'] : []), ...missingForExploding({ exploding, exploding_age: age })]
  if (missing.length > 0) throw fieldsRequired(...missing)
  const wrong = (Object.keys(MediaFields.properties) as (keyof MediaFields)[]).filter(isWrong)
  const names = files > 1 ? ['file', ...wrong] : wrong
  if (names.length > 0) throw fieldsInvalid(...names)
  return { content, nonce, exploding_age: exploding ? age : null }
}
