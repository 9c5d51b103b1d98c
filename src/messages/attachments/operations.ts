import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { detectContentType, headBytes, isHeic, unknownType } from '../../images/content-type.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canAttach } from '../../rooms/permissions.ts'
import { renewFile, saveFile } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { startOf } from '../../text.ts'
import type { StoredAttachment } from '../queries.ts'
import { attachmentFile, visibleName } from './queries.ts'

const keyBytes = 16
export const maxFilenameLength = 128

/** Checks that the caller may send attachments to a room. Throws `room_not_found`, `no_permission`. */
export async function requireAttachPermission(db: Db, roomId: string, callerId: string): Promise<void> {
  const access = await requireRoomAccess(db, roomId, callerId)
  if (!canAttach(access)) throw new ApiError('no_permission')
}

/** A file in the store; `format` is the media type of its content, also where it is served as `unknownType`. */
export type ArrivedFile = { attachment: StoredAttachment; format: string }

export function newKey(): string {
  return randomBytes(keyBytes).toString('hex')
}

/** Streams a file to the store as it is. It is erased unless a message with it is sent. */
export async function storeAttachment(
  db: Db,
  store: Store,
  roomId: string,
  file: { content: Readable; filename: string },
): Promise<ArrivedFile> {
  const key = newKey()
  const name = attachmentFile(roomId, key)
  const measured = { size: 0, head: Buffer.alloc(0) }
  await saveFile(
    db,
    store,
    name,
    Readable.from(measure(store, file.content, measured), { objectMode: false }),
  )
  const { head, size } = measured
  const filename = cleanFilename(file.filename)
  const attachment = { key, filename, size, ...describeContent(head) }
  const isUnknownHeic = attachment.content_type === unknownType && isHeic(head)
  return { attachment, format: isUnknownHeic ? 'image/heic' : attachment.content_type }
}

/** The media type of a file, and the size of a picture, by its beginning. */
export function describeContent(head: Buffer): Pick<StoredAttachment, 'content_type' | 'dimensions'> {
  const { type, width, height } = detectContentType(head)
  const dimensions = width !== undefined && height !== undefined ? { width, height, type } : null
  return { content_type: type, dimensions }
}

/**
 * Renews the discard time of a stored attachment before its message is sent, as the rest of the body may have been slow.
 * Throws `unavailable` if the file is erased.
 */
export function renewAttachment(db: Db, roomId: string, { key }: StoredAttachment): Promise<void> {
  return renewFile(db, attachmentFile(roomId, key))
}

/** Passes a stream through while the store has space, and records its size and first bytes in `measured`. */
async function* measure(
  store: Store,
  content: Readable,
  measured: { size: number; head: Buffer },
): AsyncGenerator<Buffer> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    await store.checkSpace()
    if (measured.size < headBytes)
      measured.head = Buffer.concat([measured.head, chunk.subarray(0, headBytes - measured.size)])
    measured.size += chunk.length
    yield chunk
  }
}

/** The visible characters of the last segment of a path, cut to 128 code points; `file` if there are none. */
function cleanFilename(filename: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? ''
  return [...visibleName(startOf(last, maxFilenameLength))].slice(0, maxFilenameLength).join('')
}
