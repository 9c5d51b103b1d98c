import sharp from 'sharp'

/** A GIF of so many one-pixel frames on a canvas of any size. */
export function makeGif(frames: number, width: number, height: number, fillsCanvas = false): Buffer {
  const head = Buffer.alloc(13)
  head.write('GIF89a', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  head[10] = 0x80
  const palette = Buffer.from([0, 0, 0, 255, 255, 255])
  const control = Buffer.from('21f9040000000000', 'hex')
  const picture = Buffer.from('2c000000000100010000', 'hex')
  if (fillsCanvas) {
    picture.writeUInt16LE(width, 5)
    picture.writeUInt16LE(height, 7)
  }
  const pixel = Buffer.from('0202440100', 'hex')
  const frame = Buffer.concat([control, picture, pixel])
  return Buffer.concat([head, palette, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])])
}

type RiffChunk = { type: string; data: Buffer }

export function readRiff(webp: Buffer): RiffChunk[] {
  const chunks: RiffChunk[] = []
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4)
    chunks.push({ type: webp.toString('latin1', at, at + 4), data: webp.subarray(at + 8, at + 8 + size) })
    at += 8 + size + (size % 2)
  }
  return chunks
}

function writeRiff(chunks: RiffChunk[]): Buffer {
  const parts = chunks.flatMap(({ type, data }) => {
    const head = Buffer.alloc(8)
    head.write(type, 'latin1')
    head.writeUInt32LE(data.length, 4)
    return [head, data, Buffer.alloc(data.length % 2)]
  })
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts])
  const head = Buffer.alloc(8)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

/** An animated WebP whose last frame comes that many times. */
export function repeatFrames(webp: Buffer, times: number): Buffer {
  const chunks = readRiff(webp)
  const last = chunks.findLast(({ type }) => type === 'ANMF')!
  return writeRiff([...chunks, ...Array.from({ length: times }, () => last)])
}

/** A WebP that promises a canvas of 2^24 pixels a side. */
export function webpPromising(webp: Buffer): Buffer {
  const bytes = Buffer.from(webp)
  const at = bytes.indexOf('VP8X') + 12
  bytes.fill(0xff, at, at + 6)
  return bytes
}

/** An AVIF, or a JPEG, that promises 65,500 pixels a side. */
export function avifPromising(avif: Buffer): Buffer {
  const bytes = Buffer.from(avif)
  const at = bytes.indexOf('ispe') + 8
  bytes.writeUInt32BE(65_500, at)
  bytes.writeUInt32BE(65_500, at + 4)
  return bytes
}
export function jpegPromising(jpeg: Buffer): Buffer {
  const bytes = Buffer.from(jpeg)
  const at = bytes.indexOf(Buffer.from('ffc0', 'hex'))
  bytes.writeUInt16BE(65_500, at + 5)
  bytes.writeUInt16BE(65_500, at + 7)
  return bytes
}

/** A progressive JPEG whose last scan comes that many times. */
export async function manyScans(times: number): Promise<Buffer> {
  const create = { width: 2_000, height: 2_000, channels: 3 as const, background: '#369' }
  const jpeg = await sharp({ create }).jpeg({ progressive: true }).toBuffer()
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from('ffda', 'hex')), -2)
  const scans = Array.from({ length: times }, () => scan)
  return Buffer.concat([jpeg.subarray(0, -2), ...scans, jpeg.subarray(-2)])
}
