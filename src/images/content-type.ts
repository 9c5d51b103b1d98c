import { measureHeif } from './metadata/heif.ts'
import { measureJpeg } from './metadata/jpeg.ts'
import { measurePng } from './metadata/png.ts'
import { DamagedPicture } from './metadata/remaining.ts'
import { isTurnedWebp } from './metadata/webp.ts'

/** How many bytes of a file are examined: cameras put hundreds of kilobytes of metadata before the size of a JPEG. */
export const headBytes = 524_288
/** The type of a container file is in its first bytes. */
const containerHeadBytes = 65_536
const maxBrandBytes = 256

/** The media type of a file, judged by its content, and for images the size in pixels as they are shown: turned upright. */
type DetectedType = { type: string; width?: number; height?: number }

/** The type of a file that is not a known picture, video or audio format. */
export const unknownType = 'application/octet-stream'

/** Detects PNG, JPEG, GIF, WebP, AVIF, and the usual video and audio types by the beginning of a file. */
export function detectContentType(head: Buffer): DetectedType {
  return readImage(head) ?? { type: readMedia(head) ?? unknownType }
}

function readImage(head: Buffer): DetectedType | undefined {
  if (head.length >= 24 && head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) {
    return { type: 'image/png', ...measurePng(head) }
  }
  if (head.length >= 10 && /^GIF8[79]a/.test(text(head, 0, 6))) {
    return { type: 'image/gif', width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
  }
  if (head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff) {
    return { type: 'image/jpeg', ...measureJpeg(head) }
  }
  if (text(head, 0, 4) === 'RIFF' && text(head, 8, 12) === 'WEBP') return readWebp(head)
  if (isAvif(head)) return readAvif(head)
  return undefined
}

function readWebp(head: Buffer): DetectedType {
  const { type, width, height } = readStoredWebp(head)
  if (width === undefined || height === undefined) return { type }
  return isTurnedWebp(head) ? { type, width: height, height: width } : { type, width, height }
}

/** The size of a WebP before it is turned. */
function readStoredWebp(head: Buffer): DetectedType {
  const type = 'image/webp'
  const kind = text(head, 12, 16)
  if (head.length < 30) return { type }
  if (kind === 'VP8X') return { type, width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ') {
    return { type, width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  }
  if (kind !== 'VP8L') return { type }
  const bits = head.readUInt32LE(21)
  return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** Whether AVIF is among the brands at the start of a file; some encoders name it only as a compatible brand. */
export function isAvif(head: Buffer): boolean {
  if (text(head, 4, 8) !== 'ftyp') return false
  return /^(?:.{4})*?avi[fs]/s.test(brandsOf(head))
}

/** Whether HEIC is among the brands of a file. The server shows none: it makes a JPEG of it where it can. */
export function isHeic(head: Buffer): boolean {
  if (text(head, 4, 8) !== 'ftyp' || isAvif(head)) return false
  return /^(?:.{4})*?(?:hei[cxms]|hev[cx]|mif1|msf1)/s.test(brandsOf(head))
}

function brandsOf(head: Buffer): string {
  return text(head, 8, Math.min(head.readUInt32BE(0), maxBrandBytes))
}

function readAvif(head: Buffer): DetectedType {
  const type = 'image/avif'
  try {
    return { type, ...measureHeif(head) }
  } catch (error) {
    if (error instanceof DamagedPicture) return { type }
    throw error
  }
}

function readMedia(head: Buffer): string | undefined {
  const start = text(head, 0, 4)
  if (text(head, 4, 8) === 'ftyp') return readMp4Brand(text(head, 8, 12))
  if (start === 'RIFF' && text(head, 8, 12) === 'WAVE') return 'audio/wav'
  if (start === 'RIFF' && text(head, 8, 12) === 'AVI ') return 'video/x-msvideo'
  if (start === 'OggS')
    return head.subarray(0, containerHeadBytes).includes('theora') ? 'video/ogg' : 'audio/ogg'
  if (start === 'fLaC') return 'audio/flac'
  if (start.startsWith('ID3')) return 'audio/mpeg'
  if (head.length >= 4 && head[0] === 0xff && (head[1]! & 0xe6) === 0xe2) return 'audio/mpeg'
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) {
    return head.subarray(0, 64).includes('webm') ? 'video/webm' : 'video/x-matroska'
  }
  return undefined
}

function readMp4Brand(brand: string): string | undefined {
  if (brand === 'qt  ') return 'video/quicktime'
  if (/^M4[AB] $/.test(brand)) return 'audio/mp4'
  return /^(?:iso[2-9m]|mp4[12]|avc1|dash|M4V |MSNV|3gp[4-9])$/.test(brand) ? 'video/mp4' : undefined
}

function text(head: Buffer, from: number, to: number): string {
  return head.toString('latin1', from, to)
}
