import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { detectContentType } from '../../src/images/content-type.ts'
import { cleanPicture } from '../../src/images/metadata/clean.ts'
import { DamagedPicture } from '../../src/images/metadata/remaining.ts'
import { animation, heic, photo, picture, turnedHeif } from '../support/pictures.ts'

const secret = /Secret|Exif.{40,}GPS|xmpmeta|51\/1/s
const formats = ['jpeg', 'png', 'webp', 'avif'] as const
const orientations = [1, 2, 3, 4, 5, 6, 7, 8]

function clean(type: string, bytes: Buffer) {
  const { content, isChanged } = cleanPicture(`image/${type}`, Buffer.from(bytes))
  return { bytes: Buffer.concat(content), isChanged }
}

/** What a picture shows: its pixels as they are stored, and how they are shown. */
async function shownBy(bytes: Buffer) {
  const {
    orientation = 1,
    width,
    height,
    pages,
    delay,
    loop,
  } = await sharp(bytes, { animated: true }).metadata()
  const pixels = await sharp(bytes, { animated: true }).raw().toBuffer()
  const { icc } = await sharp(bytes).metadata()
  return { orientation, width, height, pages, delay, loop, pixels, icc }
}

describe.each(formats)('a %s', (format) => {
  test.each(orientations)(
    'loses its metadata, and keeps its pixels, colours and orientation %i',
    async (turn) => {
      const bytes = await photo(format, turn)
      expect(bytes.toString('latin1')).toMatch(secret)
      const { bytes: cleaned, isChanged } = clean(format, bytes)
      expect(isChanged).toBe(true)
      expect(cleaned.toString('latin1')).not.toMatch(secret)
      const { exif, xmp } = await sharp(cleaned).metadata()
      expect(xmp).toBeUndefined()
      expect(exif?.length ?? 0).toBeLessThan(40)
      expect(await shownBy(cleaned)).toEqual(await shownBy(bytes))
      // Nothing is left to be removed.
      expect(clean(format, cleaned)).toMatchObject({ bytes: cleaned })
    },
  )

  test('without metadata stays as it is', async () => {
    const bytes = await picture(format)
    const { bytes: cleaned, isChanged } = clean(format, clean(format, bytes).bytes)
    expect(isChanged).toBe(false)
    expect(await shownBy(cleaned)).toEqual(await shownBy(bytes))
  })

  test('that is cut off anywhere is cleaned or refused, never sent with metadata', async () => {
    const bytes = await photo(format, 6)
    for (let length = 40; length < bytes.length; length += 7) {
      try {
        expect(clean(format, bytes.subarray(0, length)).bytes.toString('latin1')).not.toMatch(secret)
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedPicture)
      }
    }
  })

  test('with any byte changed is cleaned or refused as damaged', async () => {
    const bytes = await photo(format, 6)
    for (let at = 12; at < bytes.length; at += 5) {
      for (const value of [0, 0xff]) {
        const changed = Buffer.from(bytes)
        changed[at] = value
        try {
          clean(format, changed)
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedPicture)
        }
      }
    }
  })
})

test.each(formats.slice(0, 3))('the size of a %s is that of the turned picture', async (format) => {
  for (const orientation of orientations) {
    const { width, height } = detectContentType(await photo(format, orientation))
    expect([orientation, width, height]).toEqual([orientation, ...(orientation > 4 ? [40, 60] : [60, 40])])
  }
})

test('the size of an AVIF is that of the primary picture, turned and cut as its properties say', async () => {
  const avif = await picture('avif', { width: 60, height: 40 })
  const sizes = [0, 1, 2, 3].map((quarters) => detectContentType(turnedHeif(avif, quarters)))
  expect(sizes.map(({ width, height }) => [width, height])).toEqual([
    [60, 40],
    [40, 60],
    [60, 40],
    [40, 60],
  ])
  // As the one of a library that decodes it.
  const { info } = await sharp(turnedHeif(avif, 1)).raw().toBuffer({ resolveWithObject: true })
  expect([info.width, info.height]).toEqual([40, 60])
})

test('animations keep their frames', async () => {
  const webp = await sharp(await animation('webp', 4), { animated: true })
    .withExif({ IFD0: { Make: 'SecretCamera' } })
    .webp({ loop: 2, delay: [50, 60, 70, 80] })
    .toBuffer()
  expect(webp.toString('latin1')).toMatch(secret)
  const { bytes } = clean('webp', webp)
  expect(bytes.toString('latin1')).not.toMatch(secret)
  expect(await shownBy(bytes)).toEqual(await shownBy(webp))
})

test('a HEIC keeps its places, and its metadata is overwritten', () => {
  expect(heic.toString('latin1')).toMatch(secret)
  const { bytes } = clean('heic', heic)
  expect(bytes.toString('latin1')).not.toMatch(secret)
  expect(bytes.length).toBe(heic.length)
})

const segment = (marker: number, content: string | Buffer) => {
  const bytes = Buffer.concat([Buffer.from([0xff, marker, 0, 0]), Buffer.from(content as string, 'latin1')])
  bytes.writeUInt16BE(bytes.length - 2, 2)
  return bytes
}

test('a JPEG loses comments, IPTC, previews, and what follows its end', async () => {
  const jpeg = await picture('jpeg')
  const thumbnail = segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01Sec')
  const parts = [
    ...[segment(0xfe, 'Secret comment'), segment(0xed, 'Photoshop 3.0\0 8BIM Secret')],
    ...[
      segment(0xe2, 'MPF\0Secret'),
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0Secret'),
      segment(0xeb, 'JP Secret'),
    ],
  ]
  const tail = Buffer.concat([await photo('jpeg'), Buffer.from('ftypmp42 Secret video')])
  const bytes = Buffer.concat([jpeg.subarray(0, 2), thumbnail, ...parts, jpeg.subarray(2), tail])
  const { bytes: cleaned } = clean('jpeg', bytes)
  expect(cleaned.toString('latin1')).not.toMatch(/Sec|MPF|8BIM/)
  expect(cleaned.length).toBe(jpeg.length + 18)
  expect(await shownBy(cleaned)).toEqual(await shownBy(jpeg))
})

const chunk = (type: string, content: string) => {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type + content, 'latin1'), Buffer.alloc(4)])
  bytes.writeUInt32BE(content.length)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4)
  return bytes
}

test('a PNG loses texts, times, chunks of programs, and what follows its end', async () => {
  const png = await picture('png')
  const added = [
    ...[
      chunk('tEXt', 'Author\0Secret'),
      chunk('zTXt', 'Secret\0'),
      chunk('iTXt', 'XML:com.adobe.xmp\0Secret'),
    ],
    ...[chunk('tIME', 'Secret!'), chunk('caBX', 'Secret'), chunk('vpAg', 'Secret')],
  ]
  const cut = Buffer.from('Secret part of the uncropped picture')
  const bytes = Buffer.concat([png.subarray(0, 33), ...added, png.subarray(33), cut])
  const { bytes: cleaned } = clean('png', bytes)
  expect(cleaned.equals(clean('png', png).bytes)).toBe(true)
  expect(cleaned.toString('latin1')).not.toMatch(secret)
})

test('a PNG whose orientation follows the pixels has it before them, where browsers read it', async () => {
  const turned = await photo('png', 6)
  const at = turned.indexOf('eXIf') - 4
  const end = at + 12 + turned.readUInt32BE(at)
  const moved = Buffer.concat([
    turned.subarray(0, at),
    turned.subarray(end, -12),
    turned.subarray(at, end),
    turned.subarray(-12),
  ])
  const { bytes } = clean('png', moved)
  expect(bytes.indexOf('eXIf')).toBeLessThan(bytes.indexOf('IDAT'))
  expect(detectContentType(bytes)).toMatchObject({ width: 40, height: 60 })
})

test.each([
  ['jpeg', Buffer.concat([Buffer.from('ffd8', 'hex'), ...Array(70_000).fill(segment(0xfe, ''))])],
  ['png', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...Array(70_000).fill(chunk('tEXt', ''))])],
  ['webp', Buffer.from(`RIFF\xff\xff\xff\x00WEBP${'abcd\0\0\0\0'.repeat(70_000)}`, 'latin1')],
  ['avif', Buffer.from('\0\0\0\x10ftypavif\0\0\0\0'.padEnd(16) + '\0\0\0\x08free'.repeat(70_000), 'latin1')],
])('a %s of many tiny parts is refused', (format, bytes) => {
  expect(() => clean(format, bytes)).toThrow(DamagedPicture)
})

test.each(formats)('a %s of rubbish is refused', async (format) => {
  const head = (await picture(format)).subarray(0, 12)
  expect(() => clean(format, Buffer.concat([head, Buffer.alloc(1_000, 0x7f)]))).toThrow(DamagedPicture)
})
