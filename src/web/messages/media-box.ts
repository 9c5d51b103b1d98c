import type { Message } from '../state/state.ts'

const widest = 480
const highest = 320

/**
 * The size at which a picture or video is shown, in px: reserved before it is loaded, 16:9 where it is not known. Whatever
 * proportions it turns out to have, it is shown within.
 */
export function mediaBox({ dimensions }: NonNullable<Message['attachment']>) {
  const { width = 1600, height = 900 } = dimensions ?? {}
  const scale = Math.min(1, widest / width, highest / height)
  const px = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: px(width), height: px(height) }
}
