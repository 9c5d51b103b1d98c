const pngSignatureBytes = 8
const gifHeaderBytes = 13

/**
 * Whether a PNG or GIF goes on to its own end. Their decoders show what there is of a file that was cut off; those of
 * the other formats refuse it themselves.
 */
export function isWhole(format: string, bytes: Buffer): boolean {
  if (format === 'png') return pngEnds(bytes)
  if (format === 'gif') return gifEnds(bytes)
  return true
}

/** Chunks of a length, four letters, that many bytes, and a checksum, up to IEND. */
function pngEnds(bytes: Buffer): boolean {
  let at = pngSignatureBytes
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at)
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return end <= bytes.length
    at = end
  }
  return false
}

/** Extensions and frames, each followed by sub-blocks, up to the trailer. */
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
