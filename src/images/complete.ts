const pngSignatureBytes = 8
const gifHeaderBytes = 13

/**
 * Whether a PNG, GIF or JPEG is complete. Their decoders accept files that were cut off (that of JPEG sometimes); those
 * of the other formats refuse them.
 */
export function isComplete(format: string, bytes: Buffer): boolean {
  if (format === 'png') return pngEnds(bytes)
  if (format === 'gif') return gifEnds(bytes)
  if (format === 'jpeg') return jpegEnds(bytes)
  return true
}

/** PNG: chunks of a length, four letters, that many bytes, and a checksum, up to IEND. */
function pngEnds(bytes: Buffer): boolean {
  let at = pngSignatureBytes
  while (at + 12 <= bytes.length) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true
    at += 12 + bytes.readUInt32BE(at)
  }
  return false
}

/** GIF: extensions and frames, each followed by sub-blocks, up to the trailer. */
function gifEnds(bytes: Buffer): boolean {
  let at = gifHeaderBytes + paletteBytes(bytes[10])
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind === 0x3b) return true
    if (kind === 0x21) at = afterSubBlocks(bytes, at + 2)
    else if (kind === 0x2c) at = afterSubBlocks(bytes, at + 11 + paletteBytes(bytes[at + 9]))
    else return false
  }
  return false
}

function paletteBytes(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Sub-blocks begin with their length; one of length 0 is the last. */
function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!
  return at + 1
}

const startOfScan = 0xda
const endOfImage = Buffer.from([0xff, 0xd9])

/**
 * JPEG: segments of a marker and a length, which may contain a thumbnail JPEG; after the first scan, the next end
 * marker ends it.
 */
function jpegEnds(bytes: Buffer): boolean {
  let at = 2
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    // Markers may be preceded by fill bytes 0xff.
    if (bytes[at + 1] === 0xff) at += 1
    else if (bytes[at + 1] === startOfScan) return bytes.includes(endOfImage, at)
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return false
}
