import { createHash, randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { withoutBudget } from '../../src/images/budget.ts'
import * as images from '../../src/images/picture.ts'
import { animation, picture, plainPng, pngPromising, svg, turnedJpeg } from '../support/pictures.ts'

const { decodeBase64, maxPictureBytes } = images
// Each by a user of its own.
const makeIcon = (bytes: Buffer) => images.makeIcon(bytes, withoutBudget(randomUUID()))
const readIcon = (text: string) => images.readIcon(text, withoutBudget(randomUUID()))
const readHeader = (text: string) => images.readHeader(text, withoutBudget(randomUUID()))

describe('base64', () => {
  test.each([
    ['', 0],
    ['AAAA', 3],
    ['AAA=', 2],
    ['AA==', 1],
    ['+/+/', 3],
    ['AA\r\nA\n=', 2],
    ['data:image/png;base64,AAAA', 3],
    ['data:text/html;charset=utf-8;base64,AAAA', 3],
    ['data:;base64,', 0],
    ['data:image/png;\r\nbase64,AA\r\n==', 1],
  ])('%j is sound and holds %i bytes', (text, length) => {
    expect(decodeBase64(text)?.length).toBe(length)
  })

  test.each([
    'A',
    'AA',
    'AAA',
    'AAAAA',
    'A===',
    '====',
    'AA=A',
    'AAAA=',
    '=AAA',
    'AAAA AAAA',
    'AAA\t',
    'AA-_',
    'ÁAAA',
    'AAAŁ',
    'data:image/png,AAAA',
    'data:image/png;base64',
    'data:base64,AAAA',
    'base64,AAAA',
  ])('%j is faulty', (text) => {
    expect(decodeBase64(text)).toBeUndefined()
  })

  test('a string of more than 8 MiB is too large when sound, and faulty when faulty', () => {
    const most = 'A'.repeat((maxPictureBytes + 1) * (4 / 3) - 4)
    expect(decodeBase64(`${most}AAA=`)?.length).toBe(maxPictureBytes)
    expect(() => decodeBase64(`${most}AAAA`)).toThrow('The request is too large')
    expect(decodeBase64(`${most}!AAA`)).toBeUndefined()
  })

  // In time that grows with the square of the length, none of these would come to an end.
  test.each([
    ['=', undefined],
    ['\r\n', 0],
    ['A\n', 4.5 * 1024 * 1024],
    ['!', undefined],
    ['data:', undefined],
  ])('12 MiB of %j are decided on', (piece, length) => {
    expect(decodeBase64(piece.repeat((12 * 1024 * 1024) / piece.length))?.length).toBe(length)
  })
})

describe('icons', () => {
  test.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)('a %s becomes a square WebP', async (format) => {
    const { file, content } = await makeIcon(await picture(format))
    expect(await sharp(content).metadata()).toMatchObject({ format: 'webp', width: 512, height: 512 })
    expect(file).toBe(`${createHash('sha256').update(content).digest('hex').slice(0, 40)}.webp`)
  })

  test('many of one user at once are refused, and leave a place to others', async () => {
    const bytes = await picture('png')
    const many = Promise.allSettled(
      Array.from({ length: 40 }, () => images.makeIcon(bytes, withoutBudget('1'))),
    )
    expect((await makeIcon(bytes)).content.length).toBeGreaterThan(0)
    const refused = (await many).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    // With few processors one of them gives its place to the other user.
    expect([7, 8]).toContain(refused.length)
    for (const reason of refused) expect(reason).toMatchObject({ code: 'unavailable' })
  })

  test('an icon is cropped from the centre to cover', async () => {
    const band = (background: string) => ({
      input: { create: { width: 100, height: 100, channels: 3, background } } as const,
    })
    const wide = sharp({ create: { width: 300, height: 100, channels: 3, background: '#00f' } })
    const bytes = await wide
      .composite([{ ...band('#f00'), left: 100, top: 0 }])
      .png()
      .toBuffer()
    const { content } = await makeIcon(bytes)
    const { dominant } = await sharp(content).extract({ left: 4, top: 4, width: 504, height: 504 }).stats()
    expect(dominant.r).toBeGreaterThan(200)
    expect(dominant.b).toBeLessThan(60)
  })

  test('the orientation is applied to an icon, and no metadata is left', async () => {
    const right = { create: { width: 100, height: 200, channels: 3, background: '#fff' } } as const
    const bytes = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#000' } })
      .composite([{ input: right, left: 100, top: 0 }])
      .withExif({ IFD0: { Make: 'SecretCamera' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const { content } = await makeIcon(bytes)
    const isWhite = async (left: number, top: number) => {
      const pixel = await sharp(content).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()
      return pixel[0]! > 200
    }
    // Turned clockwise, what was on the left is at the top.
    expect([await isWhite(20, 20), await isWhite(490, 20)]).toEqual([false, false])
    expect([await isWhite(20, 490), await isWhite(490, 490)]).toEqual([true, true])
    const { orientation, exif } = await sharp(content).metadata()
    expect({ orientation, exif }).toEqual({})
    expect(content.includes('SecretCamera')).toBe(false)
  })

  test.each([
    ['SVG', async () => svg],
    ['text', async () => Buffer.from('GIF89, but not really')],
    ['nothing', async () => Buffer.alloc(0)],
    ['TIFF', () => picture('tiff')],
    ['a PNG that promises 65535 × 65535 pixels', () => pngPromising(65_535, 65_535)],
    ['a PNG that promises more pixels than it has', () => pngPromising(200, 200)],
    ['a side of 16,385 pixels', () => plainPng(16_385, 1)],
    ['more than 50 megapixels', () => plainPng(10_000, 5_001)],
  ])('%s is refused', async (_name, bytes) => {
    await expect(makeIcon(await bytes())).rejects.toMatchObject({ code: 'invalid_icon_file_format' })
  })

  test.each([
    [16_384, 1],
    [1, 16_384],
    [10_000, 5_000],
  ])('%i × %i pixels are taken', async (width, height) => {
    expect((await makeIcon(await plainPng(width, height))).content.length).toBeGreaterThan(0)
  })

  test('an avif may name itself among its compatible brands alone, as a heic does not', async () => {
    const bytes = Buffer.from(await picture('avif'))
    bytes.write('mif1', 8, 'latin1')
    expect((await sharp((await makeIcon(bytes)).content).metadata()).width).toBe(512)
    const heic = Buffer.from(bytes.toString('latin1').replaceAll(/avif/g, 'heic'), 'latin1')
    await expect(makeIcon(heic)).rejects.toMatchObject({ code: 'invalid_icon_file_format' })
  })

  test.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)('a truncated %s is refused', async (format) => {
    const bytes = await picture(format)
    for (const length of [8, 40, bytes.length / 2, bytes.length - 100, bytes.length - 2, bytes.length - 1]) {
      const refusal = expect(makeIcon(bytes.subarray(0, Math.floor(length)))).rejects
      await refusal.toMatchObject({ code: 'invalid_icon_file_format' })
    }
  })

  test('a jpeg without its end is refused, whatever its last pixels are', async () => {
    for (let n = 0; n < 20; n += 1) {
      const bytes = await picture('jpeg', { width: 8 + n, height: 8 })
      const refusal = expect(makeIcon(bytes.subarray(0, bytes.length - 2 + (n % 2)))).rejects
      await refusal.toMatchObject({ code: 'invalid_icon_file_format' })
      expect((await makeIcon(bytes)).content.length).toBeGreaterThan(0)
    }
  })

  test.each(['gif', 'webp'] as const)('a truncated animated %s is refused', async (format) => {
    const bytes = await animation(format, 8)
    for (const part of [0.1, 0.5, 0.9, 0.99]) {
      const refusal = expect(makeIcon(bytes.subarray(0, Math.floor(bytes.length * part)))).rejects
      await refusal.toMatchObject({ code: 'invalid_icon_file_format' })
    }
  })

  test('more than 8 MiB of bytes are too large, picture or not', async () => {
    const failure = { code: 'payload_too_large', status: 413 }
    await expect(makeIcon(Buffer.alloc(maxPictureBytes + 1))).rejects.toMatchObject(failure)
  })

  test.each(['gif', 'webp'] as const)('an animated %s of 60 frames stays animated', async (format) => {
    const { content } = await makeIcon(await animation(format, 60))
    expect(await sharp(content).metadata()).toMatchObject({ width: 512, pages: 60 })
  })

  test('an animation of 61 frames becomes a still picture', async () => {
    const { content } = await makeIcon(await animation('gif', 61))
    expect((await sharp(content).metadata()).pages ?? 1).toBe(1)
  })

  test('an animation of more than 50 megapixels in total becomes a still picture', async () => {
    const bytes = await animation('gif', 13)
    // The canvas alone grows: its frames may be smaller.
    bytes.writeUInt16LE(2_000, 6)
    bytes.writeUInt16LE(2_000, 8)
    expect(await sharp(bytes).metadata()).toMatchObject({ pages: 13, width: 2_000, height: 2_000 })
    const { content } = await makeIcon(bytes)
    expect((await sharp(content).metadata()).pages ?? 1).toBe(1)
  })

  test('an icon in faulty base64 is refused with invalid_icon_file_format', async () => {
    await expect(readIcon('no base64')).rejects.toMatchObject({
      code: 'invalid_icon_file_format',
      status: 400,
    })
  })
})

describe('headers', () => {
  const sizeOf = async (bytes: Buffer) => {
    const { width, height } = await sharp((await readHeader(bytes.toString('base64'))).content).metadata()
    return { width, height }
  }

  test('a header is scaled down to 1500 × 1500 and keeps its proportions', async () => {
    expect(await sizeOf(await plainPng(3_000, 1_000))).toEqual({ width: 1_500, height: 500 })
    expect(await sizeOf(await plainPng(1_000, 3_000))).toEqual({ width: 500, height: 1_500 })
  })

  test('a small header is not scaled up', async () => {
    expect(await sizeOf(await plainPng(30, 10))).toEqual({ width: 30, height: 10 })
  })

  test('an animated header becomes a still picture', async () => {
    const { content } = await readHeader((await animation('gif', 5)).toString('base64'))
    expect((await sharp(content).metadata()).pages ?? 1).toBe(1)
  })

  test('the orientation is applied, and no metadata is left', async () => {
    const bytes = await turnedJpeg(300, 200)
    expect(bytes.includes('SecretCamera')).toBe(true)
    const { content } = await readHeader(bytes.toString('base64'))
    const { width, height, orientation, exif, xmp, icc } = await sharp(content).metadata()
    expect({ width, height, orientation, exif, xmp, icc }).toEqual({ width: 200, height: 300 })
    expect(content.includes('SecretCamera')).toBe(false)
  })

  test('what is no picture, or no base64, is no header', async () => {
    for (const text of ['no base64', '', svg.toString('base64')]) {
      await expect(readHeader(text)).rejects.toMatchObject({
        code: 'invalid_header_file_format',
        status: 400,
      })
    }
  })
})
