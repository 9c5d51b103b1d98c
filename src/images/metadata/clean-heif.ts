import type { Box, BoxReader } from './boxes.ts'
import { type Item, listItems, readHeif } from './heif.ts'
import { type Cleaned, DamagedPicture, Remaining } from './remaining.ts'

/** Boxes of a file that it is shown by. */
const shown = /^(?:ftyp|styp|meta|mdat|moov|moof|mfra|sidx|free|skip)$/
const shownInMeta = /^(?:hdlr|pitm|iinf|iloc|iprp|iref|idat|grpl|dinf|ipro|free|skip)$/
/** Properties with descriptions, times and places. */
const telling = /^(?:uuid|udes|altt|cmex|cmin|itai|taic|crtt|mdft|gimi|free|skip)$/
/** Boxes of a sequence that contain boxes. */
const containers = /^(?:trak|mdia)$/
const tellingOfSequence = /^(?:udta|meta|uuid|free|skip)$/
const timed = /^(?:mvhd|tkhd|mdhd)$/

/** Items that are pictures, or parts of them. */
const pictures = /^(?:av01|hvc1|hvc2|hev1|lhv1|avc1|vvc1|evc1|jpeg|j2k1|unci|mski|grid|iovl|iden|tmap|tili)$/

const boxHeadBytes = 8

/**
 * An AVIF or HEIC without metadata. The places of its pixels stay, because the file names them by number: metadata is
 * overwritten. Its orientation is no metadata. Throws `DamagedPicture`.
 */
export function cleanHeif(bytes: Buffer): Cleaned {
  const heif = readHeif(bytes)
  const { reader, boxes, metaBoxes } = heif
  const remaining = new Remaining(bytes)
  const items = listItems(heif)
  for (const item of items) if (!pictures.test(item.type)) overwriteItem(remaining, item)
  for (const box of boxes) {
    if (box.isCut && box.type !== 'mdat') throw new DamagedPicture('a box is cut off')
    if (!shown.test(box.type) || /^(?:free|skip)$/.test(box.type)) free(remaining, box)
    else if (box.type === 'moov') cleanSequence(remaining, reader, box)
  }
  for (const box of metaBoxes) if (!shownInMeta.test(box.type)) free(remaining, box)
  for (const { from, end } of metaBoxes.filter(({ type }) => type === 'iprp')) {
    const container = reader.list(from, end).find(({ type }) => type === 'ipco')
    const properties = container ? reader.list(container.from, container.end) : []
    for (const box of properties) if (telling.test(box.type)) free(remaining, box)
  }
  remaining.keep(0, boxes.at(-1)!.end)
  return remaining.finish()
}

/** Overwrites metadata, and makes it an item that readers skip: the numbers of other items depend on its entry. */
function overwriteItem(remaining: Remaining, { entry, extents, isInItem }: Item): void {
  if (isInItem) throw new DamagedPicture('metadata in another item')
  if (entry) remaining.overwrite(entry.start, entry.end, Buffer.from('free', 'latin1'))
  for (const { start, end } of extents) remaining.overwrite(start, end)
}

/** Makes a box one that readers skip. */
function free(remaining: Remaining, { start, from, end }: Box): void {
  remaining.overwrite(start + 4, start + boxHeadBytes, Buffer.from('free', 'latin1'))
  remaining.overwrite(from, end)
}

/** Frees the boxes of a sequence with metadata, and removes its times. No box with times is deeper than `depth`. */
function cleanSequence(remaining: Remaining, reader: BoxReader, { from, end }: Box, depth = 2): void {
  for (const box of reader.list(from, end)) {
    if (tellingOfSequence.test(box.type)) free(remaining, box)
    else if (containers.test(box.type) && depth > 0) cleanSequence(remaining, reader, box, depth - 1)
    else if (timed.test(box.type)) {
      const timeBytes = reader.number(box.from, 1) === 0 ? 8 : 16
      remaining.overwrite(box.from + 4, Math.min(box.end, box.from + 4 + timeBytes))
    }
  }
}
