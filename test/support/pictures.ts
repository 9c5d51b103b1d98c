import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import sharp, { type Create } from 'sharp'

const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const

/** A canvas of noise: no two of its frames, and no two pictures, are alike. */
function canvas(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#fff', noise } as Create })
}

/** A picture file of one of the formats the server takes, or of one that it does not. */
export function picture(
  format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' | 'tiff' = 'png',
  size: { width: number; height: number } = { width: 60, height: 40 },
): Promise<Buffer> {
  return canvas(size.width, size.height).toFormat(format).toBuffer()
}

/** An animation of that many plain frames, none like another. */
export async function animation(
  format: 'gif' | 'webp',
  frames: number,
  size: { width: number; height: number } = { width: 16, height: 16 },
): Promise<Buffer> {
  const pages = await Promise.all(
    Array.from({ length: frames }, (_, i) => {
      const background = { r: (i * 37) % 256, g: (i * 91) % 256, b: (i * 151) % 256 }
      return sharp({ create: { ...size, channels: 3, background } })
        .png()
        .toBuffer()
    }),
  )
  return sharp(pages, { join: { animated: true } })
    .toFormat(format)
    .toBuffer()
}

/** A single-coloured PNG, small as a file whatever its size in pixels. */
export function plainPng(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#369' } })
    .png()
    .toBuffer()
}

/** A PNG whose header declares a size that its few bytes do not contain. */
export async function pngPromising(width: number, height: number): Promise<Buffer> {
  const bytes = await plainPng(1, 1)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}

/** A JPEG with a GPS position, a maker and an orientation in its metadata: to be turned by 90° clockwise. */
export function turnedJpeg(width: number, height: number): Promise<Buffer> {
  return canvas(width, height)
    .withExif({ IFD0: { Make: 'SecretCamera' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}

export const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>',
)

/**
 * A HEIC of 64 × 48 pixels in one tile of 64 × 64: red on the left and blue on the right, in the colours of Display P3,
 * with a GPS position and a maker. Made with heif-enc of libheif 1.15.
 */
export const heic: Buffer = readFileSync(new URL('./files/photo.heic', import.meta.url))

/** A grey HEIC of 2,048 × 2,048 pixels. */
export const largeHeic: Buffer = readFileSync(new URL('./files/plain.heic', import.meta.url))

/**
 * An AVIF or HEIC that is shown turned anticlockwise by so many quarters: the property for that, which readers must know,
 * takes the place of the number of its bits.
 */
export function turnedHeif(file: Buffer, quarters: number): Buffer {
  const turned = Buffer.from(file)
  const at = turned.lastIndexOf('pixi')
  turned.fill(0, at, at + 12)
  turned.write('irot', at, 'latin1')
  turned[at + 4] = quarters
  let index = 1
  for (let each = turned.indexOf('ipco') + 4; each + 4 < at; each += turned.readUInt32BE(each)) index += 1
  const numbers = turned.indexOf('ipma') + 12
  const essential = turned.indexOf(index, numbers + 3)
  turned[essential] = index | 0x80
  return turned
}

/** A picture of 60 × 40 pixels with a GPS position, a maker, an XMP document, a colour profile and an orientation. */
export function photo(format: 'jpeg' | 'png' | 'webp' | 'avif', orientation = 1): Promise<Buffer> {
  return canvas(60, 40)
    .withMetadata({ orientation })
    .withIccProfile('p3')
    .withExifMerge({
      IFD0: { Make: 'SecretCamera', ImageDescription: 'SecretPlace' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><SecretXmp/></x:xmpmeta>')
    .toFormat(format)
    .toBuffer()
}
