import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { isComplete } from './complete.ts'
import { isAvif } from './content-type.ts'

/** Limits of docs/api.md#pictures. */
const maxPixels = 50_000_000
const maxSidePixels = 16_384
const maxFrames = 60

const iconPixels = 512
const maxHeaderPixels = 1500

const maxWorkMs = 20_000
const webpQuality = 85

/** Two pictures at a time use both cores of a small machine. Those with big bodies wait before they are parsed. */
const runInTurn = createFairQueue({ atOnce: 2, waiting: 32 })

/** The bytes are not an acceptable picture. */
export class NoPicture extends Error {}

type SharpModule = typeof import('sharp')['default']
let loading: Promise<SharpModule> | undefined

/** Sharp, loaded with the first picture and restricted to our five formats. */
function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: [
        'VipsForeignLoadPngBuffer',
        'VipsForeignLoadJpegBuffer',
        'VipsForeignLoadWebpBuffer',
        'VipsForeignLoadNsgifBuffer',
        'VipsForeignLoadHeifBuffer',
      ],
    })
    sharp.cache(false)
    sharp.concurrency(1)
    return sharp
  })
  return loading
}

/**
 * The picture as a square WebP; a short animation stays one. Users take turns. Throws `NoPicture`, or `unavailable`
 * under load.
 */
export function renderIcon(bytes: Buffer, userId: string): Promise<Buffer> {
  return render(bytes, userId, { allowAnimation: true }, (picture) => {
    return picture.resize(iconPixels, iconPixels, { fit: 'cover', position: 'centre' })
  })
}

/** The first frame as a WebP of the same proportions, scaled down where it is too large. Throws as `renderIcon`. */
export function renderHeader(bytes: Buffer, userId: string): Promise<Buffer> {
  return render(bytes, userId, { allowAnimation: false }, (picture) => {
    return picture.resize(maxHeaderPixels, maxHeaderPixels, { fit: 'inside', withoutEnlargement: true })
  })
}

function render(
  bytes: Buffer,
  userId: string,
  { allowAnimation }: { allowAnimation: boolean },
  resize: (picture: Sharp) => Sharp,
): Promise<Buffer> {
  return runInTurn(userId, async () => {
    const sharp = await loadSharp()
    const options: SharpOptions = { failOn: 'error', limitInputPixels: maxPixels }
    try {
      const header = await sharp(bytes, options).metadata()
      if (!isAcceptable(header, bytes) || !isComplete(header.format, bytes))
        throw new NoPicture('not an acceptable picture')
      const animated = allowAnimation && isAnimated(header)
      const picture = sharp(bytes, { ...options, animated: animated }).timeout({ seconds: maxWorkMs / 1000 })
      // Animations cannot be rotated; in practice their formats have no orientation.
      const upright = animated ? picture : picture.autoOrient()
      return await resize(upright).webp({ quality: webpQuality }).toBuffer()
    } catch (error) {
      throw error instanceof NoPicture ? error : new NoPicture('unreadable picture', { cause: error })
    }
  })
}

/** Checks the header only, before any pixel is decoded. */
function isAcceptable({ format, width, height }: Metadata, bytes: Buffer): boolean {
  // AVIF is the only kind of HEIF that is accepted.
  const known = format === 'heif' ? isAvif(bytes) : ['png', 'jpeg', 'webp', 'gif'].includes(format)
  return known && width <= maxSidePixels && height <= maxSidePixels && width * height <= maxPixels
}

function isAnimated({ format, pages = 1, width, height }: Metadata): boolean {
  const canBeAnimated = format === 'gif' || format === 'webp'
  return canBeAnimated && pages > 1 && pages <= maxFrames && width * height * pages <= maxPixels
}
