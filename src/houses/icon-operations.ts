import type { Db } from '../db/client.ts'
import { ApiError, fieldsRequired } from '../errors.ts'
import { decodeBase64, makeIcon, type Picture } from '../images/icon.ts'
import type { Store } from '../storage/store.ts'
import { discardIcon, iconPath, keepIcon } from './icon-queries.ts'

/**
 * The icon in the body of a house edit. Faulty base64 is `invalid_schema` with status 500 here and nowhere else (API
 * 4.10). Throws `payload_too_large` and `invalid_icon_file_format` besides.
 */
export async function readEditedIcon(text: string): Promise<Picture> {
  const bytes = decodeBase64(text)
  if (!bytes) throw new ApiError('invalid_schema', { status: 500, message: fieldsRequired('name').message })
  return makeIcon(bytes)
}

/**
 * Stores the icon of a house, inside the transaction that names it, and gives up the one it replaces. The house is new
 * or locked: pictures are named by their content, so that one given up a moment ago may be the one that comes back.
 */
export async function replaceIcon(
  trx: Db,
  store: Store,
  house: { id: string; icon: string | null },
  picture: Picture,
): Promise<void> {
  if (picture.file === house.icon) return
  await keepIcon(trx, house.id, picture.file)
  if (house.icon !== null) await discardIcon(trx, house.id, house.icon)
  await store.write(iconPath(house.id, picture.file), picture.content)
}
