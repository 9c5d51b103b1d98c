import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { detectContentType, headBytes } from '../../images/content-type.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canAttach } from '../../rooms/permissions.ts'
import { renewFile, saveFile } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import type { StoredAttachment } from '../queries.ts'
import { attachmentFile } from './queries.ts'

const keyBytes = 16
export const maxFilenameLength = 128

/** Refuses who may not send a file into a room. Throws `room_not_found`, `no_permission`. */
export async function refuseUnlessMayAttach(db: Db, roomId: string, callerId: string): Promise<void> {
  const access = await requireRoomAccess(db, roomId, callerId)
  if (!canAttach(access)) throw new ApiError('no_permission')
}

/** Streams a file to the store. It is erased again unless a message with it is sent. */
export async function storeAttachment(
  db: Db,
  store: Store,
  roomId: string,
  file: { content: Readable; filename: string },
): Promise<StoredAttachment> {
  const key = randomBytes(keyBytes).toString('hex')
  const name = attachmentFile(roomId, key)
  const seen = { size: 0, head: Buffer.alloc(0) }
  await saveFile(db, store, name, Readable.from(watch(store, file.content, seen), { objectMode: false }))
  const { type, width, height } = detectContentType(seen.head)
  const dimensions = width !== undefined && height !== undefined ? { width, height, type } : null
  return { key, filename: cleanFilename(file.filename), content_type: type, size: seen.size, dimensions }
}

/** Renews a stored attachment before it is sent: the rest of the body may have been slow. Throws `unavailable`. */
export function shareAttachmentLock(db: Db, roomId: string, { key }: StoredAttachment): Promise<void> {
  return renewFile(db, attachmentFile(roomId, key))
}

/** Passes a stream through while there is space for it, and records its size and its first bytes. */
async function* watch(
  store: Store,
  content: Readable,
  seen: { size: number; head: Buffer },
): AsyncGenerator<Buffer> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    await store.checkSpace()
    if (seen.size < headBytes)
      seen.head = Buffer.concat([seen.head, chunk.subarray(0, headBytes - seen.size)])
    seen.size += chunk.length
    yield chunk
  }
}

/** The last segment of a path, without control characters, cut to its limit; `file` when nothing is left. */
function cleanFilename(filename: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? ''
  const clean = [...last.toWellFormed().replace(/\p{Cc}/gu, '')].slice(0, maxFilenameLength).join('')
  return clean === '' ? 'file' : clean
}
