import sharp from 'sharp'
import { expect, test } from 'vitest'
import { detectContentType } from '../../src/images/content-type.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  )
const ebml = [0x1a, 0x45, 0xdf, 0xa3]

test.each([
  ['Ogg with a video far behind', bytes('OggS', Array(5_000).fill(0), 'theora'), 'video/ogg'],
  ['Ogg without one', bytes('OggS', Array(5_000).fill(0), 'vorbis'), 'audio/ogg'],
  ['WebM', bytes(ebml, Array(27).fill(0), 'webm'), 'video/webm'],
  ['Matroska', bytes(ebml, Array(27).fill(0), 'matroska'), 'video/x-matroska'],
  ['MP3 with tags', bytes('ID3', [4, 0]), 'audio/mpeg'],
  ['MP3 without', bytes([0xff, 0xfb, 0x90, 0x64]), 'audio/mpeg'],
  ['AAC, which begins almost like MP3', bytes([0xff, 0xf1, 0x50, 0x80]), 'application/octet-stream'],
  ['a video of a phone', bytes([0, 0, 0, 24], 'ftyp3gp5'), 'video/mp4'],
  ['M4A', bytes([0, 0, 0, 24], 'ftypM4A '), 'audio/mp4'],
  ['QuickTime', bytes([0, 0, 0, 20], 'ftypqt  '), 'video/quicktime'],
  ['nothing', bytes(), 'application/octet-stream'],
])('%s is recognised as what it is', (_name, head, type) => {
  expect(detectContentType(head)).toEqual({ type })
})

test.each([
  ['lossy', { lossless: false }, '#123'],
  ['lossless', { lossless: true }, '#123'],
  ['with transparency', { lossless: false }, '#1238'],
])('the size of a WebP that is %s is told', async (_name, options, background) => {
  const channels = background.length === 5 ? 4 : 3
  const picture = sharp({ create: { width: 301, height: 47, channels, background } }).webp(options)
  const head = await picture.toBuffer()
  expect(detectContentType(head)).toEqual({ type: 'image/webp', width: 301, height: 47 })
})

test('the size of a lossy WebP does not include how it should be scaled', () => {
  const start = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8 ', Array(7).fill(0), [0x9d, 0x01, 0x2a])
  const head = bytes(start.toString('latin1'), [44, 0x41, 20, 0x80])
  expect(detectContentType(head)).toEqual({ type: 'image/webp', width: 300, height: 20 })
})

test('the size of a JPEG is in its frame, not in the tables before it, and of what is cut off there is none', () => {
  const tables = bytes([0xff, 0xd8, 0xff, 0xc4, 0, 9, 1, 0, 99, 0, 99, 0, 0])
  const whole = bytes(tables.toString('latin1'), [0xff, 0xc2, 0, 11, 8, 0, 20, 1, 44, 3])
  expect(detectContentType(whole)).toEqual({ type: 'image/jpeg', width: 300, height: 20 })
  for (let length = tables.length; length < tables.length + 9; length += 1) {
    expect(detectContentType(whole.subarray(0, length))).toEqual({ type: 'image/jpeg' })
  }
})

test('gives only the type of an AVIF or WebP that is truncated before its size', async () => {
  const picture = sharp({ create: { width: 301, height: 47, channels: 3, background: '#123' } })
  const avif = await picture.avif({ effort: 0 }).toBuffer()
  expect(detectContentType(avif)).toEqual({ type: 'image/avif', width: 301, height: 47 })
  expect(detectContentType(avif.subarray(0, avif.indexOf('ispe') + 15))).toEqual({ type: 'image/avif' })
  const webp = await picture.webp({ lossless: true }).toBuffer()
  expect(detectContentType(webp.subarray(0, 24))).toEqual({ type: 'image/webp' })
})
