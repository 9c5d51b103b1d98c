import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest, FastifySchema } from 'fastify'
import { ApiError, fieldsInvalid, fieldsRequired, StoreAway, wrongContentType } from '../errors.ts'
import { failures, ok, Success } from '../http/envelope.ts'
import { IdParam } from '../http/params.ts'
import { holdAttachment, refuseUnlessMayAttach, storeAttachment } from './attachment-operations.ts'
import type { Outgoing } from './draft-operations.ts'
import type { StoredAttachment } from './queries.ts'
import { GatewayMessage, MediaFields, missingForExploding } from './schemas.ts'
import type { Send } from './send-operations.ts'

/** In bytes (PROTOCOL 1.6). */
const maxAttachmentBytes = 25 * 1024 * 1024
const maxFieldBytes = 64 * 1024
const maxParts = 20

/** The multipart body in the API document; the parts themselves are checked as they are read. */
const MediaBody = Type.Object({
  ...MediaFields.properties,
  file: Type.String({ format: 'binary' }),
})

function describeParts({ schema, url }: { schema: FastifySchema; url: string }) {
  return { schema: { ...schema, consumes: ['multipart/form-data'], body: MediaBody }, url }
}

/** The contents of a multipart body; the file is stored while it is read. */
type Parts = {
  fields: Record<string, string>
  attachment: StoredAttachment | null
  files: number
  size: number
}

export const mediaRoutes: FastifyPluginAsyncTypebox<{ send: Send }> = async (app, { send }) => {
  await app.register(multipart, {
    throwFileSizeLimit: false,
    isPartAFile,
    limits: { fileSize: maxAttachmentBytes, fieldSize: maxFieldBytes, parts: maxParts },
  })

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
      const parts = await readParts(request, async (file) => {
        const { filename } = file
        if (refusal === undefined) {
          return storeAttachment(app.db, app.store, params.id, { content: file.file, filename })
        }
        await finished(file.file.resume())
        return null
      })
      const outgoing = readFields(request, parts)
      if (refusal !== undefined) throw refusal
      if (parts.attachment) await holdAttachment(app.db, params.id, parts.attachment)
      return ok(await send(caller, params.id, { ...outgoing, attachment: parts.attachment }))
    },
  )
}

/**
 * Whether a part has a file name; without one it is text, whatever its type. JSON counts as a file even without a name:
 * of a JSON field the library would give the parsed value, not the text that was sent.
 */
function isPartAFile(_name?: string, type?: string, filename?: string): boolean {
  return filename !== undefined || /^application\/json/i.test(type ?? '')
}

async function refuseOtherTypes(request: FastifyRequest): Promise<void> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  const isMultipart = /^multipart\/form-data\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')
  if (!isMultipart || encoding.toLowerCase() !== 'identity') throw wrongContentType()
}

/**
 * Reads the parts one after the other. Throws `payload_too_large`; a body that is not multipart is one without a file.
 */
async function readParts(
  request: FastifyRequest,
  take: (file: MultipartFile) => Promise<StoredAttachment | null>,
): Promise<Parts> {
  const parts: Parts = { fields: Object.create(null), attachment: null, files: 0, size: 0 }
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.valueTruncated) throw new ApiError('payload_too_large')
        parts.fields[part.fieldname] = String(part.value)
      } else if ((part.filename as string | undefined) === undefined) {
        parts.fields[part.fieldname] = await readText(part.file)
      } else if (part.fieldname === 'file' && parts.files === 0) {
        parts.files += 1
        parts.attachment = await take(part)
        if (part.file.truncated) throw new ApiError('payload_too_large')
        parts.size = part.file.bytesRead
      } else {
        if (part.fieldname === 'file') parts.files += 1
        part.file.resume()
      }
    }
  } catch (error) {
    if (!(await isAboutName(error, request))) throw translate(error)
  }
  return parts
}

/** A text part that passes as a file. Throws `payload_too_large`. */
async function readText(content: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxFieldBytes) chunks.push(chunk)
  }
  if (size > maxFieldBytes) throw new ApiError('payload_too_large')
  return Buffer.concat(chunks).toString()
}

/**
 * Whether all parts were read, and the library only reports at the end that it has skipped one whose name is that of a
 * property of every object. Such names are ignored like any other unknown field.
 */
async function isAboutName(error: unknown, { raw }: FastifyRequest): Promise<boolean> {
  if ((error as { code?: string }).code !== 'FST_PROTO_VIOLATION') return false
  return finished(raw.resume(), { writable: false }).then(
    () => true,
    () => false,
  )
}

function translate(error: unknown): unknown {
  if (error instanceof StoreAway) return error
  const { code = '', message } = error as { code?: string; message: string }
  if (/^FST_(?:PARTS|FILES|FIELDS)_LIMIT$|^FST_REQ_FILE_TOO_LARGE$/.test(code)) {
    return new ApiError('payload_too_large')
  }
  const isMalformed =
    /^(?:FST_INVALID|ERR_STREAM_PREMATURE)/.test(code) || /multipart|boundary|header/i.test(message)
  return isMalformed ? fieldsRequired('file') : error
}

/** The text parts. Throws `invalid_schema`. */
function readFields(request: FastifyRequest, { fields, files, size }: Parts): Omit<Outgoing, 'attachment'> {
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
