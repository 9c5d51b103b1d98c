import type { Db } from '../database/client.ts'
import { ApiError, fieldsRequired } from '../errors.ts'
import { decodeBase64, makeIcon, type Picture, pictureName } from '../images/picture.ts'
import { cancelDiscard, discardFiles, saveFile } from '../storage/discard.ts'
import type { Store } from '../storage/store.ts'

/**
 * The icon in the body of a house edit by a user. Faulty base64 is `invalid_schema` with status 500 here and nowhere
 * else (docs/api.md#houses). Throws `payload_too_large` and `invalid_icon_file_format` besides.
 */
export async function readEditedIcon(text: string, userId: string): Promise<Picture> {
  const bytes = decodeBase64(text)
  if (!bytes) throw new ApiError('invalid_schema', { status: 500, message: fieldsRequired('name').message })
  return makeIcon(bytes, userId)
}

/** Stores the icon of a house, for `replaceIcon` to put to use. */
export function saveIcon(db: Db, store: Store, houseId: string, icon: Picture): Promise<void> {
  return saveFile(db, store, pictureName('houses/icons', houseId, icon.file), icon.content)
}

/** Puts a saved icon in the place of the present one, inside the transaction that names it. Throws as `keepFiles`. */
export async function replaceIcon(
  trx: Db,
  house: { id: string; icon: string | null },
  { file }: Picture,
): Promise<void> {
  // An equal edit at the same moment has put the same file to use; the eraser passes over what is in use.
  if (file === house.icon) return
  await cancelDiscard(trx, [pictureName('houses/icons', house.id, file)])
  if (house.icon !== null) await discardIcon(trx, house.id, house.icon)
}

/** Gives up the icon of a house, inside the transaction that no longer names it. */
export function discardIcon(trx: Db, houseId: string, file: string): Promise<void> {
  return discardFiles(trx, [pictureName('houses/icons', houseId, file)])
}
