import type { PictureBudget } from '../budget.ts'
import { withinBudget } from '../budget.ts'
import { colorProfileOf, measureHeif, readHeif } from '../metadata/heif.ts'
import { withColorProfile } from '../metadata/jpeg.ts'
import { loadSharp, NoPicture } from '../render.ts'
import { decodeHeic, maxHeicPixels } from './decode.ts'

const jpegQuality = 90

/**
 * A HEIC, which few programs show, as a JPEG: upright, with its colours and without metadata. Throws `NoPicture` where
 * it cannot be read, `DamagedPicture`, `rate_limit` if the budget is used up, and `unavailable` where it takes too long.
 */
export async function convertHeic(bytes: Buffer, budget: PictureBudget): Promise<Buffer> {
  const size = measureHeif(bytes)
  if (!size || size.width * size.height > maxHeicPixels) throw new NoPicture('too large')
  const profile = colorProfileOf(readHeif(bytes))
  const sharp = await loadSharp()
  const jpeg = await withinBudget(budget, async () => {
    const { data, width, height } = await decodeHeic(bytes, { maxWorkMs: budget.maxWorkMs })
    return sharp(data, { raw: { width, height, channels: 4 } })
      .flatten({ background: '#fff' })
      .jpeg({ quality: jpegQuality })
      .toBuffer()
  })
  await budget.requireCaller()
  return profile ? withColorProfile(jpeg, profile) : jpeg
}
