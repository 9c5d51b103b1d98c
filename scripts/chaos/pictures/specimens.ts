import { deflateSync, gzipSync } from 'node:zlib'
import sharp, { type Create } from 'sharp'
import {
  avifPromising,
  jpegPromising,
  makeGif,
  manyScans,
  repeatFrames,
  webpPromising,
} from './containers.ts'
import { compressedProfile, compressedText, makePng, pngPromising, text, xmp } from './png.ts'

/** Stands in the metadata of every specimen that has any: it must not come out again. */
export const marker = 'SecretMarker'

/** A file that is sent as a picture, and what must become of it; `frames` of it when taken as an icon. */
export type Specimen = {
  name: string
  bytes: Buffer
  must: 'be refused' | 'be taken' | 'be either'
  frames?: number
}

const formats = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const

function noise(width: number, height: number) {
  const create = {
    width,
    height,
    channels: 3,
    background: '#fff',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  }
  return sharp({ create: create as Create })
}

async function animation(format: 'gif' | 'webp', frames: number): Promise<Buffer> {
  const pages = Array.from({ length: frames }, (_, i) => {
    const background = { r: (i * 37) % 256, g: (i * 91) % 256, b: (i * 151) % 256 }
    return sharp({ create: { width: 16, height: 16, channels: 3, background } })
      .png()
      .toBuffer()
  })
  return sharp(await Promise.all(pages), { join: { animated: true } })
    .toFormat(format)
    .toBuffer()
}

/** Every specimen; the long ones take a lot more work. */
export async function listSpecimens(quick: boolean, random: () => number): Promise<Specimen[]> {
  const plain = await Promise.all(formats.map((format) => noise(120, 80).toFormat(format).toBuffer()))
  const lists = await Promise.all([
    listBombs(quick),
    plain.flatMap((bytes, n) => truncations(formats[n]!, bytes)),
    plain.flatMap((bytes, n) => corruptions(formats[n]!, bytes, quick ? 4 : 200, random)),
    listPolyglots(plain),
    listWrongTypes(),
    listWithMetadata(),
    listKinds(),
  ])
  return lists.flat()
}

async function listBombs(quick: boolean): Promise<Specimen[]> {
  const [moving, avif, jpeg] = await Promise.all([
    animation('webp', 2),
    noise(64, 64).avif().toBuffer(),
    noise(64, 64).jpeg({ progressive: false }).toBuffer(),
  ])
  const refused = {
    'PNG that promises 60,000 a side': pngPromising(60_000, 60_000),
    'PNG that promises 2^31 a side': pngPromising(2 ** 31 - 1, 2 ** 31 - 1),
    'PNG of 268 megapixels': makePng({ width: 16_384, height: 16_384, bits: 1 }),
    'PNG of 16,385 by 10': makePng({ width: 16_385, height: 10 }),
    'GIF that promises 65,535 a side': makeGif(1, 65_535, 65_535, true),
    'WebP that promises 2^24 a side': webpPromising(moving),
    'AVIF that promises 65,500 a side': avifPromising(avif),
    'JPEG that promises 65,500 a side': jpegPromising(jpeg),
  }
  const either = {
    'PNG with 200 MB of packed text': makePng({ width: 8, height: 8 }, [compressedText(200_000_000)]),
    'PNG with a packed profile of 200 MB': makePng({ width: 8, height: 8 }, [compressedProfile(200_000_000)]),
    'PNG with 20,000 texts': makePng(
      { width: 8, height: 8 },
      Array.from({ length: 20_000 }, () => text(marker)),
    ),
    'PNG of 8 by 8 with the pixels of 10,000 by 10,000': makePng(
      { width: 8, height: 8 },
      [],
      deflateSync(Buffer.alloc(100_000_000), { level: 1 }),
    ),
    'GIF of 20,000 frames': makeGif(quick ? 20_000 : 300_000, 1, 1),
    'GIF of one pixel on a canvas of 65,535 a side': makeGif(1, 65_535, 65_535),
    'GIF of 1,000 frames on 48 megapixels': makeGif(1_000, 12_000, 4_000),
    'GIF of 1,000 frames of 48 megapixels': makeGif(1_000, 12_000, 4_000, true),
    'WebP of 5,000 frames': repeatFrames(moving, 5_000),
    'JPEG of many scans': await manyScans(quick ? 300 : 3_000),
  }
  const side = quick ? 3_000 : 7_000
  const taken = {
    'PNG of 49 megapixels': makePng({ width: 7_000, height: 7_000 }),
    'interlaced PNG of 16 bits': makePng({
      width: side,
      height: side,
      bits: 16,
      colour: 6,
      interlaced: true,
    }),
  }
  return [...as('be refused', refused), ...as('be either', either), ...as('be taken', taken)]
}

function as(must: Specimen['must'], files: Record<string, Buffer>): Specimen[] {
  return Object.entries(files).map(([name, bytes]) => ({ name, bytes, must }))
}

function truncations(format: string, bytes: Buffer): Specimen[] {
  // A decoder shows what there is of these where the end alone is missing; of the other formats it may be let go.
  const must = format === 'png' || format === 'gif' ? 'be refused' : 'be either'
  const last = [1, 4, 12].map(
    (count): Specimen => ({ name: `${format} cut off by ${count}`, bytes: bytes.subarray(0, -count), must }),
  )
  const parts = [0.01, 0.2, 0.5, 0.9, 0.99].map((part) => ({
    name: `${format} cut off at ${part * 100} %`,
    bytes: bytes.subarray(0, Math.floor(bytes.length * part)),
    must: 'be refused' as const,
  }))
  return [...parts, ...last]
}

function corruptions(format: string, bytes: Buffer, count: number, random: () => number): Specimen[] {
  return Array.from({ length: count }, (_, n) => {
    const spoilt = Buffer.from(bytes)
    for (let times = 0; times < 5; times += 1)
      spoilt[Math.floor(random() * spoilt.length)] = Math.floor(random() * 256)
    return { name: `${format} with five wrong bytes, ${n}`, bytes: spoilt, must: 'be either' }
  })
}

const html = `<html><script>alert('${marker}')</script></html>`

function listPolyglots(plain: Buffer[]): Specimen[] {
  const [png, jpeg, webp, gif, avif] = plain as [Buffer, Buffer, Buffer, Buffer, Buffer]
  const zip = Buffer.from(`PK\u0003\u0004${marker}PK\u0005\u0006${'\0'.repeat(18)}`, 'latin1')
  const php = Buffer.from(`<?php echo '${marker}'; ?>`)
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, php.length + 2]), php])
  return [
    ...as('be either', {
      'PNG and ZIP': Buffer.concat([png, zip]),
      'GIF and HTML': Buffer.concat([gif, Buffer.from(html)]),
      'JPEG and PHP': Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]),
      'WebP and HTML': Buffer.concat([webp, Buffer.from(html)]),
      'AVIF and HTML': Buffer.concat([avif, Buffer.from(html)]),
      'PNG with HTML in a text': makePng({ width: 8, height: 8 }, [text(html), xmp(html)]),
    }),
    ...as('be refused', {
      'PDF and JPEG': Buffer.concat([Buffer.from('%PDF-1.4\n'), jpeg]),
      'ZIP and PNG': Buffer.concat([zip, png]),
    }),
  ]
}

async function listWrongTypes(): Promise<Specimen[]> {
  const svg = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>x</script></svg>`,
  )
  return as('be refused', {
    SVG: svg,
    'SVG, packed': gzipSync(svg),
    'SVG behind an XML head': Buffer.concat([Buffer.from('<?xml version="1.0"?>'), svg]),
    HTML: Buffer.from(html),
    PDF: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
    TIFF: await noise(20, 20).tiff().toBuffer(),
    BMP: Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)]),
    ICO: Buffer.from(`00000100010010100000010020006804000016000000${'00'.repeat(200)}`, 'hex'),
    PPM: Buffer.from(`P6 8 8 255\n${'a'.repeat(192)}`),
    PSD: Buffer.concat([Buffer.from('8BPS'), Buffer.alloc(200)]),
    MP4: Buffer.concat([Buffer.from('000000186674797069736f6d', 'hex'), Buffer.alloc(200)]),
    HEIC: Buffer.concat([Buffer.from('000000186674797068656963', 'hex'), Buffer.alloc(200)]),
    'nothing but a PNG signature': Buffer.from('89504e470d0a1a0a', 'hex'),
    text: Buffer.from('hello'),
    nothing: Buffer.alloc(0),
    zeros: Buffer.alloc(100_000),
  })
}

async function listWithMetadata(): Promise<Specimen[]> {
  const exif = {
    IFD0: { Make: marker, Copyright: marker },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W' },
  }
  const tagged = await Promise.all(
    (['jpeg', 'png', 'webp', 'avif'] as const).map(async (format): Promise<[string, Buffer]> => {
      const picture = noise(90, 60)
        .withExif(exif)
        .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${marker}</x:xmpmeta>`)
      return [
        `${format} with EXIF, GPS and XMP`,
        await picture.withIccProfile('p3').toFormat(format).toBuffer(),
      ]
    }),
  )
  const brokenProfile = makePng({ width: 8, height: 8, colour: 2 }, [compressedProfile(3_000)])
  return [
    ...as('be taken', {
      ...Object.fromEntries(tagged),
      'JPEG with an orientation': await noise(90, 60).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
      'CMYK JPEG': await noise(60, 60).toColourspace('cmyk').jpeg().toBuffer(),
    }),
    ...as('be either', { 'PNG with a broken profile': brokenProfile }),
  ]
}

async function listKinds(): Promise<Specimen[]> {
  const moving = (name: string, bytes: Buffer, frames: number): Specimen => ({
    name,
    bytes,
    must: 'be taken',
    frames,
  })
  return [
    moving('GIF of 10 frames', await animation('gif', 10), 10),
    moving('WebP of 60 frames', await animation('webp', 60), 60),
    moving('GIF of 61 frames', await animation('gif', 61), 1),
    ...as('be taken', {
      'PNG of one bit': makePng({ width: 33, height: 7, bits: 1 }),
      'grey PNG with alpha, 16 bits': makePng({ width: 33, height: 7, bits: 16, colour: 4 }),
      'interlaced PNG': makePng({ width: 40, height: 40, colour: 6, interlaced: true }),
      'PNG of one pixel': makePng({ width: 1, height: 1 }),
      'PNG of 16,384 by 1': makePng({ width: 16_384, height: 1 }),
    }),
  ]
}
