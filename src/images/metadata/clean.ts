import { cleanHeif } from './clean-heif.ts'
import { cleanJpeg } from './jpeg.ts'
import { cleanPng } from './png.ts'
import type { Cleaned } from './remaining.ts'
import { cleanWebp } from './webp.ts'

/** The formats whose metadata is removed, by their media types. */
const cleaners: Record<string, (bytes: Buffer) => Cleaned> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
  'image/avif': cleanHeif,
  'image/heic': cleanHeif,
}

/** Whether the metadata of such a picture is removed. */
export function isCleanable(type: string): boolean {
  return Object.hasOwn(cleaners, type)
}

/**
 * The picture without metadata: its pixels, orientation, colour profile and animation stay as they are. `bytes` may be
 * changed. Throws `DamagedPicture` where its parts cannot be told apart.
 */
export function cleanPicture(type: string, bytes: Buffer): Cleaned {
  return cleaners[type]!(bytes)
}
