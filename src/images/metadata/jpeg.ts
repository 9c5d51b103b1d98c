import { exifOf, isTurned, readOrientation } from './orientation.ts'
import { type Cleaned, DamagedPicture, maxParts, Remaining } from './remaining.ts'

const startOfScan = 0xda
const endOfImage = 0xd9
const comment = 0xfe
const app0 = 0xe0
const app1 = 0xe1
const app2 = 0xe2
const app14 = 0xee
const app15 = 0xef
/** A JFIF segment without a thumbnail. */
const jfifBytes = 18

/** A part of a JPEG from its marker to its end; `end` may be behind the end of a file that was cut off. */
type Segment = { marker: number; start: number; end: number }

/** The segments up to the end of the image, or one more than a picture has. The pixels after the start of a scan belong to none. */
function* listSegments(bytes: Buffer): Generator<Segment> {
  let at = findMarker(bytes, 2)
  for (let parts = 0; at !== -1 && parts <= maxParts; parts += 1) {
    const marker = bytes[at + 1]!
    const length = at + 4 <= bytes.length ? Math.max(2, bytes.readUInt16BE(at + 2)) : 2
    const end = marker === endOfImage ? at + 2 : at + 2 + length
    yield { marker, start: at, end }
    if (marker === endOfImage) return
    at = findMarker(bytes, end)
  }
}

/** The place of the next marker that begins a segment or ends the image; -1 if there is none. */
function findMarker(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at += 1) {
    if (bytes[at] !== 0xff) continue
    const marker = bytes[at + 1]!
    // FF00 is a pixel, FFFF filling; FF01 and FFD0 to FFD8 stand alone.
    if (marker > 1 && marker < 0xff && (marker < 0xd0 || marker > 0xd8)) return at
  }
  return -1
}

/** The size of a JPEG as it is shown, if its beginning has it. */
export function measureJpeg(head: Buffer): { width: number; height: number } | undefined {
  let orientation: number | undefined
  for (const segment of listSegments(head)) {
    const { marker, start } = segment
    if (marker === startOfScan) return undefined
    if (isFrame(marker)) return start + 9 <= head.length ? sizeOf(head, start, orientation) : undefined
    if (isExif(head, segment)) orientation ??= orientationIn(head, segment)
  }
  return undefined
}

function sizeOf(head: Buffer, start: number, orientation = 1): { width: number; height: number } {
  const [height, width] = [head.readUInt16BE(start + 5), head.readUInt16BE(start + 7)]
  return isTurned(orientation) ? { width: height, height: width } : { width, height }
}

/** C0 to CF, except C4, C8 and CC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function isExif(bytes: Buffer, { marker, start }: Segment): boolean {
  return marker === app1 && startsWith(bytes, start, 'Exif\0\0')
}

function orientationIn(bytes: Buffer, { start, end }: Segment): number {
  return readOrientation(bytes.subarray(start + 4, end))
}

/** Whether the content of a segment starts with a text. */
function startsWith(bytes: Buffer, start: number, text: string): boolean {
  return bytes.toString('latin1', start + 4, start + 4 + text.length) === text
}

/**
 * A JPEG without comments, without application segments but those that say how its pixels are shown, and without what
 * follows its end, where phones put further pictures and videos. Throws `DamagedPicture`.
 */
export function cleanJpeg(bytes: Buffer): Cleaned {
  const remaining = new Remaining(bytes)
  remaining.keep(0, 2)
  let pixelsFrom: number | undefined
  let isExifSeen = false
  for (const segment of listSegments(bytes)) {
    remaining.count()
    const { marker, start, end } = segment
    if (pixelsFrom !== undefined) remaining.keep(pixelsFrom, start)
    if (end > bytes.length) {
      if (pixelsFrom === undefined) throw new DamagedPicture('cut off before its pixels')
      return remaining.finish()
    }
    if (isExif(bytes, segment) && !isExifSeen) {
      isExifSeen = true
      const orientation = orientationIn(bytes, segment)
      if (orientation !== 1) remaining.insert(exifSegment(orientation))
    } else if (hasThumbnail(bytes, segment)) {
      remaining.insert(withoutThumbnail(bytes.subarray(start, end)))
    } else if (!isMetadata(bytes, segment)) remaining.keep(start, end)
    if (marker === endOfImage) return remaining.finish()
    if (marker === startOfScan || pixelsFrom !== undefined) pixelsFrom = end
  }
  if (pixelsFrom === undefined) throw new DamagedPicture('no pixels')
  remaining.keep(pixelsFrom, bytes.length)
  return remaining.finish()
}

function isMetadata(bytes: Buffer, { marker, start }: Segment): boolean {
  if (marker === app0) return !startsWith(bytes, start, 'JFIF\0')
  if (marker === app2) return !startsWith(bytes, start, 'ICC_PROFILE\0')
  if (marker === app14) return !startsWith(bytes, start, 'Adobe')
  return marker === comment || (marker > app0 && marker <= app15)
}

function hasThumbnail(bytes: Buffer, { marker, start, end }: Segment): boolean {
  return marker === app0 && startsWith(bytes, start, 'JFIF\0') && end - start > jfifBytes
}

function withoutThumbnail(jfif: Buffer): Buffer {
  const header = Buffer.from(jfif.subarray(0, jfifBytes))
  header.writeUInt16BE(jfifBytes - 2, 2)
  header.writeUInt16BE(0, jfifBytes - 2)
  return header
}

function exifSegment(orientation: number): Buffer {
  return segmentOf(app1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifOf(orientation)]))
}

function segmentOf(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** The most bytes of a colour profile in a segment, besides its mark and the two numbers. */
const profilePartBytes = 65_519

/** A JPEG of sharp's, which has none, with a colour profile. */
export function withColorProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const count = Math.ceil(profile.length / profilePartBytes)
  const segments = Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * profilePartBytes, (index + 1) * profilePartBytes)
    const mark = Buffer.from(`ICC_PROFILE\0${String.fromCharCode(index + 1, count)}`, 'latin1')
    return segmentOf(app2, Buffer.concat([mark, part]))
  })
  const isAfterJfif = jpeg[3] === app0
  const at = isAfterJfif ? 4 + jpeg.readUInt16BE(4) : 2
  return Buffer.concat([jpeg.subarray(0, at), ...segments, jpeg.subarray(at)])
}
