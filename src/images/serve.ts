import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { namesEtag } from '../http/server/etag.ts'
import { openFile, type Store } from '../storage/store.ts'
import { type PictureFolder, pictureName } from './picture.ts'

/** For all content that comes from clients: no guessing of types, no scripts (docs/api.md#serving-files). */
export const mediaHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const

const immutable = 'public, max-age=31536000, immutable'

/**
 * Answers with a picture of the store. `present` is the name of the owner's present picture: any other name answers
 * `not_found`, which is thrown.
 */
export async function sendPicture(
  store: Store,
  request: FastifyRequest<{ Params: { id: string; file: string } }>,
  reply: FastifyReply,
  picture: { folder: PictureFolder; present: string | null | undefined },
): Promise<FastifyReply> {
  const { id, file } = request.params
  if (file !== picture.present) throw new ApiError('not_found')
  const etag = `"${file.replace('.webp', '')}"`
  const headers = { ...mediaHeaders, 'Cache-Control': immutable, ETag: etag }
  if (namesEtag(request.headers['if-none-match'], etag)) return reply.code(304).headers(headers).send()
  // Opened before the headers are set, as a failure must not have them.
  const opened = await openFile(store, pictureName(picture.folder, id, file))
  if (!opened) throw new ApiError('not_found')
  reply.headers({ ...headers, 'Content-Type': 'image/webp', 'Content-Length': opened.size })
  return reply.send(opened.content)
}
