import type { Db } from '../database/client.ts'
import { ApiError, fieldsRequired } from '../errors.ts'
import type { PictureBudget } from '../images/budget.ts'
import { decodeBase64, makeIcon, type Picture, pictureName } from '../images/picture.ts'
import { cancelDiscard, discardFiles, saveFile } from '../storage/discard.ts'
import type { Store } from '../storage/store.ts'

/**
 * Reads the icon in the body of a house update. Faulty base64 throws `invalid_schema` with status 500, only here
 * (docs/api.md#houses). Throws as `makeIcon`.
 */
export async function readEditedIcon(text: string, budget: PictureBudget): Promise<Picture> {
  const bytes = decodeBase64(text)
  if (!bytes) throw new ApiError('invalid_schema', { status: 500, message: fieldsRequired('name').message })
  return makeIcon(bytes, budget)
}

/** Stores the icon of a house as a discarded file, until `replaceIcon` uses it. */
export function saveIcon(db: Db, store: Store, houseId: string, icon: Picture): Promise<void> {
  return saveFile(db, store, pictureName('houses/icons', houseId, icon.file), icon.content)
}

/** Replaces the icon by a saved one, in the transaction that sets the column. Throws as `cancelDiscard`. */
export async function replaceIcon(
  trx: Db,
  house: { id: string; icon: string | null },
  { file }: Picture,
): Promise<void> {
  // A concurrent edit with the same icon has cancelled the discard of the file already.
  if (file === house.icon) return
  await cancelDiscard(trx, [pictureName('houses/icons', house.id, file)])
  if (house.icon !== null) await discardIcon(trx, house.id, house.icon)
}

/** Discards the icon of a house, in the transaction that clears the column. */
export function discardIcon(trx: Db, houseId: string, file: string): Promise<void> {
  return discardFiles(trx, [pictureName('houses/icons', houseId, file)])
}
