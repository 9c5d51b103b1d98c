import { exifOf, isTurned, readOrientation } from './orientation.ts'
import { type Cleaned, DamagedPicture, maxParts, Remaining } from './remaining.ts'

const riffBytes = 12
const chunkHeadBytes = 8
/** Of an animated frame, before its chunks. */
const frameHeadBytes = 16

/** Flags of VP8X. */
const animationFlag = 0x02
const xmpFlag = 0x04
const exifFlag = 0x08

const shown = /^(?:VP8 |VP8L|VP8X|ALPH|ANIM|ANMF|ICCP)$/
const pixels = /^(?:VP8 |VP8L|ANMF)$/

/** A chunk from its type to its end, without padding. */
type Chunk = { type: string; start: number; end: number }

/** The chunks between two places, or one more than a picture has. */
function* listChunks(bytes: Buffer, from = riffBytes, to = riffEnd(bytes)): Generator<Chunk> {
  let at = from
  for (let parts = 0; at + chunkHeadBytes <= to && parts <= maxParts; parts += 1) {
    const type = bytes.toString('latin1', at, at + 4)
    const end = at + chunkHeadBytes + bytes.readUInt32LE(at + 4)
    yield { type, start: at, end }
    at = padded(end)
  }
}

/** Chunks begin at even places. */
function padded(end: number): number {
  return end + (end % 2)
}

function riffEnd(bytes: Buffer): number {
  return Math.min(bytes.length, 8 + bytes.readUInt32LE(4))
}

/** Whether a WebP is shown turned, by as much of it as there is: Exif follows the pixels. */
export function isTurnedWebp(bytes: Buffer): boolean {
  return isTurned(orientationOf(bytes))
}

/** Whether the pixels of a WebP that does not move are stored mirrored or turned. Not all browsers turn them upright. */
export function isStoredUnturned(bytes: Buffer): boolean {
  return orientationOf(bytes) !== 1 && !(bytes[20]! & animationFlag)
}

function orientationOf(bytes: Buffer): number {
  if (bytes.toString('latin1', riffBytes, riffBytes + 4) !== 'VP8X' || bytes.length < 30) return 1
  if (!(bytes[20]! & exifFlag)) return 1
  for (const chunk of listChunks(bytes)) if (chunk.type === 'EXIF') return orientationIn(bytes, chunk)
  return 1
}

function orientationIn(bytes: Buffer, { start, end }: Chunk): number {
  return readOrientation(bytes.subarray(start + chunkHeadBytes, end))
}

/**
 * A WebP without chunks but those that say how its pixels are shown, and without what follows its end. Throws
 * `DamagedPicture`.
 */
export function cleanWebp(bytes: Buffer): Cleaned {
  const remaining = new Remaining(bytes)
  const kept: Chunk[] = []
  let orientation = 1
  for (const chunk of listChunks(bytes)) {
    remaining.count()
    if (!/^[\x20-\x7e]{4}$/.test(chunk.type)) throw new DamagedPicture('no chunk')
    if (chunk.type === 'EXIF') orientation = orientationIn(bytes, chunk)
    if (shown.test(chunk.type)) kept.push(chunk)
  }
  if (!kept.some(({ type }) => pixels.test(type))) throw new DamagedPicture('no pixels')
  const isExtended = kept[0]?.type === 'VP8X'
  const exif = isExtended && orientation !== 1 ? exifChunk(orientation) : undefined
  if (isExtended) {
    const flags = (bytes[20]! & ~(xmpFlag | exifFlag)) | (exif ? exifFlag : 0)
    remaining.overwrite(20, 21, Buffer.from([flags]))
  }
  remaining.overwrite(4, 8, riffSize(bytes, kept, exif))
  remaining.keep(0, riffBytes)
  for (const chunk of kept) {
    remaining.keep(chunk.start, Math.min(padded(chunk.end), bytes.length))
    if (chunk.type === 'ANMF') cleanFrame(remaining, bytes, chunk)
  }
  if (exif) remaining.insert(exif)
  return remaining.finish()
}

function riffSize(bytes: Buffer, kept: readonly Chunk[], exif: Buffer | undefined): Buffer {
  const sizes = kept.map(({ start, end }) => Math.min(padded(end), bytes.length) - start)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(4 + sizes.reduce((sum, each) => sum + each, exif?.length ?? 0))
  return size
}

/** Overwrites chunks of a frame that are not shown. */
function cleanFrame(remaining: Remaining, bytes: Buffer, { start, end }: Chunk): void {
  const from = start + chunkHeadBytes + frameHeadBytes
  for (const chunk of listChunks(bytes, from, Math.min(end, bytes.length))) {
    remaining.count()
    if (!shown.test(chunk.type)) remaining.overwrite(chunk.start + chunkHeadBytes, chunk.end)
  }
}

function exifChunk(orientation: number): Buffer {
  const content = exifOf(orientation)
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content])
}
