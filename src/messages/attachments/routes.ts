import { timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { documentedAs } from '../../http/schemas/documented.ts'
import { failures } from '../../http/schemas/envelope.ts'
import { unknownType } from '../../images/content-type.ts'
import { mediaHeaders } from '../../images/serve.ts'
import { openFile } from '../../storage/store.ts'
import { attachmentFile, findAttachment, visibleName } from './queries.ts'

const maxAgeSeconds = 3600

const AttachmentParams = Type.Object({
  room_id: Type.String(),
  message_id: Type.String(),
  filename: Type.String(),
})
const AttachmentQuery = Type.Object({
  key: Type.Optional(documentedAs(Type.Unknown(), { type: 'string', description: '32 hex characters' })),
})

const fileContent = {
  content: { '*/*': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) } },
}

export const attachmentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/attachments/:room_id/:message_id/:filename',
    {
      schema: {
        operationId: 'getAttachment',
        summary: 'Fetch an attachment',
        tags: ['media'],
        params: AttachmentParams,
        querystring: AttachmentQuery,
        response: {
          200: { description: 'The file', ...fileContent },
          206: { description: 'The requested range of the file', ...fileContent },
          ...failures,
        },
      },
    },
    async ({ params, query, headers }, reply) => {
      const { room_id, message_id } = params
      const attachment = await findAttachment(app.db, room_id, message_id)
      if (!attachment || !isKey(query.key, attachment.key)) throw new ApiError('not_found')
      if (params.filename !== attachment.filename) throw new ApiError('not_found')
      // Opened before the headers are set, because a failure must not have them.
      const opened = await openFile(app.store, attachmentFile(room_id, attachment.key), (bytes) => {
        return readRange(headers.range, bytes)
      })
      if (!opened) throw new ApiError('not_found')
      const { size, range, content } = opened
      const { content_type, filename, seconds_left } = attachment
      const disposition = content_type === unknownType ? 'attachment' : 'inline'
      const maxAge = Math.min(maxAgeSeconds, seconds_left ?? maxAgeSeconds)
      reply.headers({
        ...mediaHeaders,
        'Content-Type': content_type,
        'Content-Disposition': `${disposition}; filename*=UTF-8''${encodeFilename(visibleName(filename))}`,
        'Cache-Control': `private, max-age=${maxAge}`,
        'Accept-Ranges': 'bytes',
        'Content-Length': range ? range.end - range.start + 1 : size,
      })
      if (range) reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
      return reply.send(content)
    },
  )
}

function isKey(given: unknown, key: string): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{32}$/.test(given)) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(key))
}

/** The requested range of bytes, ends included; undefined if the header is not one satisfiable range. */
function readRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=([0-9]*)-([0-9]*)$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start <= end ? { start, end } : undefined
}

/** Encodes a file name for `filename*` (RFC 5987). */
function encodeFilename(filename: string): string {
  return encodeURIComponent(filename).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}
