import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, fieldsRequired, StoreUnavailable, wrongContentType } from '../../errors.ts'

const maxFieldBytes = 64 * 1024
const maxParts = 20

/** A multipart body: its text parts, and its file. */
export type MultipartBody<Taken> = {
  fields: Record<string, string>
  /** What the first part `file` was taken as; null if there is none. */
  file: Taken | null
  /** How many parts named `file` there are. */
  files: number
  /** The size of the first file in bytes; 0 without one. */
  size: number
  /** The names of all files, in their order. */
  filenames: string[]
  /** How large the files are together that were not taken. */
  skippedBytes: number
}

/** Lets the routes of a plugin read multipart bodies with files of up to so many bytes. */
export async function takeMultipart(app: FastifyInstance, maxFileBytes: number): Promise<void> {
  await app.register(multipart, {
    throwFileSizeLimit: false,
    isPartAFile,
    limits: { fileSize: maxFileBytes, fieldSize: maxFieldBytes, parts: maxParts },
  })
}

/**
 * Whether a part has a file name; without one it is text, whatever its type. JSON counts as a file even without a name:
 * of a JSON field the library would give the parsed value, not the text that was sent.
 */
function isPartAFile(_name?: string, type?: string, filename?: string): boolean {
  return filename !== undefined || /^application\/json/i.test(type ?? '')
}

/** `onRequest` of a route that takes multipart bodies alone: refuses other types with 415. */
export async function requireMultipart(request: FastifyRequest): Promise<void> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  const isMultipart = /^multipart\/form-data\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')
  if (!isMultipart || encoding.toLowerCase() !== 'identity') throw wrongContentType()
}

/**
 * Reads the parts one after the other; `take` (null: nothing) reads the first part `file`. Throws `payload_too_large`,
 * also for a file that is not taken as soon as it is larger than one may be, and what `take` throws.
 * A body that is not multipart is one without a file: `malformed`.
 */
export async function readMultipart<Taken>(
  request: FastifyRequest,
  take: ((file: MultipartFile) => Promise<Taken | null>) | null,
  malformed: ApiError = fieldsRequired('file'),
): Promise<MultipartBody<Taken>> {
  const body: MultipartBody<Taken> = {
    fields: Object.create(null),
    file: null,
    files: 0,
    size: 0,
    filenames: [],
    skippedBytes: 0,
  }
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.valueTruncated) throw new ApiError('payload_too_large')
        body.fields[part.fieldname] = String(part.value)
      } else if ((part.filename as string | undefined) === undefined) {
        body.fields[part.fieldname] = await readText(part.file)
      } else {
        body.filenames.push(part.filename)
        if (part.fieldname === 'file') body.files += 1
        if (take && part.fieldname === 'file' && body.files === 1) await takeFirst(body, part, take)
        else body.skippedBytes += await skipFile(part)
      }
    }
  } catch (error) {
    if (!(await isAboutName(error, request))) throw translate(error, malformed)
  }
  return body
}

/** Throws `payload_too_large`. */
async function takeFirst<Taken>(
  body: MultipartBody<Taken>,
  part: MultipartFile,
  take: (file: MultipartFile) => Promise<Taken | null>,
): Promise<void> {
  body.file = await take(part)
  if (part.file.truncated) throw new ApiError('payload_too_large')
  body.size = part.file.bytesRead
}

/** Reads a file that nobody wants. Returns its size. Throws `payload_too_large`. */
async function skipFile({ file }: MultipartFile): Promise<number> {
  // The rest of a file that is too large is not waited for.
  await Promise.race([finished(file.resume()), once(file, 'limit')])
  if (file.truncated) throw new ApiError('payload_too_large')
  return file.bytesRead
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

function translate(error: unknown, malformed: ApiError): unknown {
  if (error instanceof StoreUnavailable) return error
  const { code = '', message } = error as { code?: string; message: string }
  if (code === 'FST_PARTS_LIMIT') return new ApiError('payload_too_large')
  const isMalformed =
    /^(?:FST_INVALID|ERR_STREAM_PREMATURE)/.test(code) || /multipart|boundary|header/i.test(message)
  return isMalformed ? malformed : error
}
