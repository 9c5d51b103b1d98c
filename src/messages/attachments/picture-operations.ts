import { buffer } from 'node:stream/consumers'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../database/client.ts'
import { ApiError, fieldsInvalid } from '../../errors.ts'
import type { PictureBudget } from '../../images/budget.ts'
import { convertHeic } from '../../images/heic/convert.ts'
import { cleanPicture, isCleanable } from '../../images/metadata/clean.ts'
import { DamagedPicture } from '../../images/metadata/remaining.ts'
import { isStoredUnturned } from '../../images/metadata/webp.ts'
import { heavyTurn, NoPicture, renderUpright } from '../../images/render.ts'
import { discardFilesAtOnce, saveFile } from '../../storage/discard.ts'
import { openFile, type Store } from '../../storage/store.ts'
import type { StoredAttachment } from '../queries.ts'
import { type ArrivedFile, describeContent, newKey } from './operations.ts'
import { attachmentFile } from './queries.ts'

/** Of pictures that are cleaned at the same time, each is whole in memory. Waiting ones are not. */
const cleaningTurn = createFairQueue({ atOnce: 2, waiting: Number.POSITIVE_INFINITY })

type Place = { db: Db; store: Store; roomId: string }

/**
 * The file as it is sent: of a picture without its metadata, and of a HEIC as a JPEG if it can be read in the time that
 * its sender has left. Other files stay as they are. Throws `invalid_schema` for a damaged picture, whose metadata
 * cannot be found (docs/api.md#messages).
 */
export async function cleanAttachment(
  place: Place,
  budget: PictureBudget,
  { attachment, format }: ArrivedFile,
): Promise<StoredAttachment> {
  if (!isCleanable(format)) return attachment
  try {
    const converted = format === 'image/heic' ? await convert(place, budget, attachment) : undefined
    return converted ?? (await clean(place, budget, { attachment, format }))
  } catch (error) {
    throw error instanceof DamagedPicture ? fieldsInvalid('file') : error
  }
}

function clean(
  place: Place,
  budget: PictureBudget,
  { attachment, format }: ArrivedFile,
): Promise<StoredAttachment> {
  return cleaningTurn(budget.ownerId, async () => {
    const bytes = await readWhole(place, attachment)
    if (format === 'image/webp' && isStoredUnturned(bytes)) {
      const upright = await ifReadable(() => renderUpright(bytes, budget))
      if (upright) return replace(place, attachment, upright)
    }
    const { content, isChanged } = cleanPicture(format, bytes)
    return isChanged ? replace(place, attachment, Buffer.concat(content)) : attachment
  })
}

/** Undefined where the HEIC cannot be read, or not now. */
function convert(
  place: Place,
  budget: PictureBudget,
  attachment: StoredAttachment,
): Promise<StoredAttachment | undefined> {
  return ifReadable(() =>
    heavyTurn(budget.ownerId, async () => {
      const jpeg = await convertHeic(await readWhole(place, attachment), budget)
      const filename = attachment.filename.replace(/\.(?:heic|heif|hif)$/i, '.jpg')
      return replace(place, { ...attachment, filename }, jpeg)
    }),
  )
}

/** Undefined where a picture cannot be read, or not now. */
async function ifReadable<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    const isLater = error instanceof ApiError && (error.code === 'rate_limit' || error.code === 'unavailable')
    if (isLater || error instanceof NoPicture || error instanceof DamagedPicture) return undefined
    throw error
  }
}

/** Throws `unavailable` if the file has been erased. */
async function readWhole({ store, roomId }: Place, { key }: StoredAttachment): Promise<Buffer> {
  const opened = await openFile(store, attachmentFile(roomId, key))
  if (!opened) throw new ApiError('unavailable')
  return buffer(opened.content)
}

/** Stores other content in place of a file, which is erased. */
async function replace(
  { db, store, roomId }: Place,
  attachment: StoredAttachment,
  content: Buffer,
): Promise<StoredAttachment> {
  const key = newKey()
  await saveFile(db, store, attachmentFile(roomId, key), content)
  await discardFilesAtOnce(db, [attachmentFile(roomId, attachment.key)])
  return { ...attachment, key, size: content.length, ...describeContent(content) }
}
