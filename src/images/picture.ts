import { hash } from 'node:crypto'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { PictureBudget } from './budget.ts'
import { NoPicture, renderHeader, renderIcon } from './render.ts'

/** A picture to be stored: its bytes, and its name (40 hex characters of their hash, and `.webp`). */
export type Picture = { file: string; content: Buffer }

/** The kinds of pictures, and their folders. */
export type PictureFolder = 'users/icons' | 'users/headers' | 'houses/icons'

/** The name of a picture in the store. */
export function pictureName(folder: PictureFolder, ownerId: string, file: string): string {
  const [owners, kind] = folder.split('/')
  return `${owners}/${ownerId}/${kind}/${file}`
}

/** The most bytes of a picture in a request, after base64 decoding (docs/api.md#counts-and-sizes). */
export const maxPictureBytes = 8 * 1024 * 1024

const dataMarker = ';base64,'

/**
 * The bytes in a base64 string or a data URL; undefined if it is faulty (docs/api.md#base64-input). Throws
 * `payload_too_large` for a valid string of more than `maxPictureBytes`, before decoding it.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const base64 = withoutDataPrefix(withoutLineBreaks(text))
  if (base64 === undefined || base64.length % 4 !== 0) return undefined
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  // Searches for one wrong character, which takes linear time whatever the string contains.
  if (/[^A-Za-z0-9+/]/.test(base64.slice(0, base64.length - padding))) return undefined
  if ((base64.length / 4) * 3 - padding > maxPictureBytes) throw new ApiError('payload_too_large')
  return Buffer.from(base64, 'base64')
}

/** Works byte by byte: replacing in the text takes a second if every other character is a line break. */
function withoutLineBreaks(text: string): string {
  if (!/[\r\n]/.test(text)) return text
  const bytes = Buffer.from(text)
  let length = 0
  for (const byte of bytes) {
    if (byte !== 0x0d && byte !== 0x0a) bytes[length++] = byte
  }
  return bytes.toString('utf8', 0, length)
}

/** The base64 in a data URL, whose media type is ignored; undefined if it is not base64. */
function withoutDataPrefix(text: string): string | undefined {
  if (!text.startsWith('data:')) return text
  const marker = text.indexOf(dataMarker)
  return marker === -1 ? undefined : text.slice(marker + dataMarker.length)
}

/**
 * An icon of a user or house from the bytes that a user sent. Throws `payload_too_large`, `invalid_icon_file_format`,
 * and as `renderIcon`.
 */
export function makeIcon(bytes: Buffer, budget: PictureBudget): Promise<Picture> {
  return makePicture(bytes, budget, renderIcon, 'invalid_icon_file_format')
}

/** An icon from base64. Throws as `makeIcon`; faulty base64 is `invalid_icon_file_format` too. */
export async function readIcon(text: string, budget: PictureBudget): Promise<Picture> {
  const bytes = decodeBase64(text)
  if (!bytes) throw new ApiError('invalid_icon_file_format')
  return makeIcon(bytes, budget)
}

/** A user's header from base64. Throws `payload_too_large`, `invalid_header_file_format`. */
export async function readHeader(text: string, budget: PictureBudget): Promise<Picture> {
  const bytes = decodeBase64(text)
  if (!bytes) throw new ApiError('invalid_header_file_format')
  return makePicture(bytes, budget, renderHeader, 'invalid_header_file_format')
}

async function makePicture(
  bytes: Buffer,
  budget: PictureBudget,
  render: (bytes: Buffer, budget: PictureBudget) => Promise<Buffer>,
  refusal: ErrorCode,
): Promise<Picture> {
  if (bytes.length > maxPictureBytes) throw new ApiError('payload_too_large')
  try {
    const content = await render(bytes, budget)
    return { file: `${hash('sha256', content).slice(0, 40)}.webp`, content }
  } catch (error) {
    throw error instanceof NoPicture ? new ApiError(refusal) : error
  }
}
