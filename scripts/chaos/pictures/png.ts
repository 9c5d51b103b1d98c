import { crc32, deflateSync } from 'node:zlib'

type Chunk = [type: string, data: Buffer]

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
const samples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function chunk([type, data]: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

type Shape = { width: number; height: number; bits?: number; colour?: number; interlaced?: boolean }

/** A PNG of one colour whatever its size; `more` are chunks before its pixels, `pixels` stands in for them. */
export function makePng(shape: Shape, more: Chunk[] = [], pixels?: Buffer): Buffer {
  const { width, height, bits = 8, colour = 0, interlaced = false } = shape
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([bits, colour, 0, 0, interlaced ? 1 : 0], 8)
  const rowBytes = 1 + Math.ceil((width * bits * samples[colour]!) / 8)
  // An interlaced picture has a filter byte more for each row of its seven passes; zeros too many are passed over.
  const raw =
    pixels ?? deflateSync(Buffer.alloc(rowBytes * height + (interlaced ? 8 * height : 0)), { level: 1 })
  const chunks: Chunk[] = [['IHDR', header], ...more, ['IDAT', raw], ['IEND', Buffer.alloc(0)]]
  return Buffer.concat([signature, ...chunks.map(chunk)])
}

/** A PNG whose header declares a size that its few bytes do not contain. */
export function pngPromising(width: number, height: number): Buffer {
  return makePng({ width, height }, [], deflateSync(Buffer.alloc(16)))
}

const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 1 })

/** Text or a colour profile that is small as it comes, and large unpacked. */
export const compressedText = (bytes: number): Chunk => [
  'zTXt',
  Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), zeros(bytes)]),
]
export const compressedProfile = (bytes: number): Chunk => [
  'iCCP',
  Buffer.concat([Buffer.from('icc\0\0', 'latin1'), zeros(bytes)]),
]
export const text = (value: string): Chunk => ['tEXt', Buffer.from(`Comment\0${value}`, 'latin1')]
export const xmp = (value: string): Chunk => [
  'iTXt',
  Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${value}`, 'latin1'),
]
