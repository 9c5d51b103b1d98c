const exifMark = Buffer.from('Exif\0\0', 'latin1')
const orientationTag = 0x0112
const entryBytes = 12

/** How Exif says that a picture is shown: 1 as it is stored, 2 to 8 mirrored or turned. 1 where it says nothing. */
export function readOrientation(exif: Buffer): number {
  const tiff = exif.subarray(0, exifMark.length).equals(exifMark) ? exif.subarray(exifMark.length) : exif
  const order = tiff.toString('latin1', 0, 4)
  if (tiff.length < 8 || (order !== 'II*\0' && order !== 'MM\0*')) return 1
  const short = (at: number) => (order === 'II*\0' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const start = order === 'II*\0' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const count = start + 2 <= tiff.length ? short(start) : 0
  for (let entry = 0; entry < count; entry += 1) {
    const at = start + 2 + entry * entryBytes
    if (at + entryBytes > tiff.length) return 1
    if (short(at) === orientationTag) return inRange(short(at + 8))
  }
  return 1
}

function inRange(value: number): number {
  return value >= 1 && value <= 8 ? value : 1
}

/** Whether a picture is shown with its width and height exchanged. */
export function isTurned(orientation: number): boolean {
  return orientation >= 5
}

/** Exif that has an orientation and nothing else, as TIFF. */
export function exifOf(orientation: number): Buffer {
  const exif = Buffer.from('4d4d002a000000080001011200030000000100000000000000000000', 'hex').subarray(0, 26)
  exif.writeUInt16BE(orientation, 18)
  return exif
}
