import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { halfOfProcessors } from '../concurrency/half-of-processors.ts'
import { ApiError } from '../errors.ts'
import { type PictureBudget, withinBudget } from './budget.ts'
import { isComplete } from './complete.ts'
import { isAvif } from './content-type.ts'

/** Limits of docs/api.md#pictures. */
const maxPixels = 50_000_000
const maxSidePixels = 16_384
const maxFrames = 60

const iconPixels = 512
const maxHeaderPixels = 1500

const webpQuality = 85

/** A picture with more pixels than this is heavy. */
const lightPixels = 10_000_000

/** Those with big bodies wait before they are parsed. */
const lightTurn = createFairQueue({ atOnce: Math.min(2, halfOfProcessors), waiting: 32 })
/** Heavy pictures take seconds: they wait for one another, and no light one waits for them. */
export const heavyTurn = createFairQueue({ atOnce: 1, waiting: 32 })

const inputOptions: SharpOptions = { failOn: 'error', limitInputPixels: maxPixels }

/** The bytes are not an acceptable picture. */
export class NoPicture extends Error {}

type SharpModule = typeof import('sharp')['default']
let loading: Promise<SharpModule> | undefined

/** Sharp, loaded with the first picture and restricted to our five formats and to pixels. */
export function loadSharp(): Promise<SharpModule> {
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
 * The picture as a square WebP; a short animation stays one. People take turns. Throws `NoPicture`; `rate_limit` if
 * the budget is used up; `unavailable` under load, and where the work takes too long.
 */
export function renderIcon(bytes: Buffer, budget: PictureBudget): Promise<Buffer> {
  return render(bytes, budget, { allowAnimation: true }, (picture) => {
    return picture.resize(iconPixels, iconPixels, { fit: 'cover', position: 'centre' })
  })
}

/** The first frame as a WebP of the same proportions, scaled down where it is too large. Throws as `renderIcon`. */
export function renderHeader(bytes: Buffer, budget: PictureBudget): Promise<Buffer> {
  return render(bytes, budget, { allowAnimation: false }, (picture) => {
    return picture.resize(maxHeaderPixels, maxHeaderPixels, { fit: 'inside', withoutEnlargement: true })
  })
}

/** The picture as an upright WebP without metadata, with its colours. Throws as `renderIcon`. */
export function renderUpright(bytes: Buffer, budget: PictureBudget): Promise<Buffer> {
  return render(bytes, budget, { allowAnimation: false }, (picture) => picture.keepIccProfile())
}

async function render(
  bytes: Buffer,
  budget: PictureBudget,
  { allowAnimation }: { allowAnimation: boolean },
  resize: (picture: Sharp) => Sharp,
): Promise<Buffer> {
  const sharp = await loadSharp()
  const header = await lightTurn(budget.ownerId, () => readHeader(sharp, bytes))
  const animated = allowAnimation && isAnimated(header)
  const runInTurn = decodedPixels(header, animated) > lightPixels ? heavyTurn : lightTurn
  const rendered = await runInTurn(budget.ownerId, () =>
    withinBudget(budget, () =>
      orRefuse(() => {
        const picture = sharp(bytes, { ...inputOptions, animated }).timeout({
          seconds: budget.maxWorkMs / 1000,
        })
        // Animations cannot be rotated; in practice their formats have no orientation.
        const upright = animated ? picture : picture.autoOrient()
        return resize(upright).webp({ quality: webpQuality }).toBuffer()
      }),
    ),
  )
  await budget.requireCaller()
  return rendered
}

async function readHeader(sharp: SharpModule, bytes: Buffer): Promise<Metadata> {
  const header = await orRefuse(() => sharp(bytes, inputOptions).metadata())
  if (!isAcceptable(header, bytes) || !isComplete(header.format, bytes))
    throw new NoPicture('not an acceptable picture')
  return header
}

async function orRefuse<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // Sharp says how far the work came: `timeout: 40% complete`.
    if ((error as Error).message.startsWith('timeout:')) throw new ApiError('unavailable')
    throw new NoPicture('unreadable picture', { cause: error })
  }
}

/** The pixels that are decoded; a JPEG is decoded at an eighth of its size if that is enough. */
function decodedPixels({ format, width, height, pages = 1 }: Metadata, animated: boolean): number {
  const pixels = width * height * (animated ? pages : 1)
  return format === 'jpeg' ? pixels / 8 : pixels
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
