import { crc32 } from 'node:zlib'
import { exifOf, isTurned, readOrientation } from './orientation.ts'
import { type Cleaned, DamagedPicture, maxParts, Remaining } from './remaining.ts'

const signatureBytes = 8
/** The length and type before the content of a chunk. */
const chunkHeadBytes = 8
const checksumBytes = 4

/** The chunks that say what the pixels are and how they are shown. */
const shown =
  /^(?:IHDR|PLTE|IDAT|IEND|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|mDCV|mDCv|cLLI|cLLi|bKGD|hIST|pHYs|acTL|fcTL|fdAT)$/

/** A chunk from its length to its checksum; `end` may be behind the end of a file that was cut off. */
type Chunk = { type: string; start: number; end: number }

/** The chunks up to IEND, or one more than a picture has. */
function* listChunks(bytes: Buffer): Generator<Chunk> {
  let at = signatureBytes
  for (let parts = 0; at + chunkHeadBytes <= bytes.length && parts <= maxParts; parts += 1) {
    const type = bytes.toString('latin1', at + 4, at + chunkHeadBytes)
    const end = at + chunkHeadBytes + bytes.readUInt32BE(at) + checksumBytes
    yield { type, start: at, end }
    if (type === 'IEND') return
    at = end
  }
}

/** The size of a PNG as it is shown, by its beginning. */
export function measurePng(head: Buffer): { width: number; height: number } {
  const [width, height] = [head.readUInt32BE(16), head.readUInt32BE(20)]
  for (const chunk of listChunks(head)) {
    if (chunk.type === 'eXIf' && isTurned(orientationIn(head, chunk))) return { width: height, height: width }
  }
  return { width, height }
}

function orientationIn(bytes: Buffer, { start, end }: Chunk): number {
  return readOrientation(bytes.subarray(start + chunkHeadBytes, end - checksumBytes))
}

/**
 * A PNG without chunks but those that say how its pixels are shown, and without what follows its end. Throws
 * `DamagedPicture`.
 */
export function cleanPng(bytes: Buffer): Cleaned {
  const remaining = new Remaining(bytes)
  const kept: Chunk[] = []
  let orientation = 1
  for (const chunk of listChunks(bytes)) {
    remaining.count()
    if (!/^[A-Za-z]{4}$/.test(chunk.type)) throw new DamagedPicture('no chunk')
    if (chunk.type === 'eXIf') orientation = orientationIn(bytes, chunk)
    if (shown.test(chunk.type)) kept.push(chunk)
  }
  const [header, ...others] = kept
  if (header?.type !== 'IHDR') throw new DamagedPicture('no header')
  remaining.keep(0, header.end)
  if (orientation !== 1) remaining.insert(exifChunk(orientation))
  for (const { start, end } of others) remaining.keep(start, Math.min(end, bytes.length))
  return remaining.finish()
}

/** Stands before the pixels: behind them, browsers do not read it. */
function exifChunk(orientation: number): Buffer {
  const content = Buffer.concat([Buffer.from('eXIf', 'latin1'), exifOf(orientation)])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(checksumBytes)]
  length.writeUInt32BE(content.length - 4)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
