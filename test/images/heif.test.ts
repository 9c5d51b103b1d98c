import { expect, test } from 'vitest'
import { detectContentType } from '../../src/images/content-type.ts'
import { cleanPicture } from '../../src/images/metadata/clean.ts'
import { measureHeif } from '../../src/images/metadata/heif.ts'
import { heic } from '../support/pictures.ts'

/** Numbers of four bytes, and texts as they are. */
function bytesOf(...parts: (number | string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part !== 'number') return Buffer.from(part as string, 'latin1')
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(part)
      return bytes
    }),
  )
}

function box(type: string, ...parts: (number | string | Buffer)[]): Buffer {
  const content = bytesOf(...parts)
  return bytesOf(content.length + 8, type, content)
}

const ispe = (width: number, height: number) => box('ispe', 0, width, height)

/** An AVIF whose item 2 is the primary picture, with these properties after those of a tile. */
function avif(properties: Buffer[], ...others: Buffer[]): Buffer {
  const container = box('ipco', ispe(512, 512), box('irot', '\x01'), ...properties)
  const numbers = properties.map((_each, index) => String.fromCharCode(index + 3)).join('')
  const ofPrimary = `\0\x02${String.fromCharCode(properties.length)}${numbers}`
  const associations = box('ipma', 0, 2, '\0\x01\x02\x01\x02', ofPrimary)
  const meta = box('meta', 0, box('pitm', 0, '\0\x02'), box('iprp', container, associations))
  return Buffer.concat([box('ftyp', 'avis', 0, 'avif'), meta, ...others])
}

test.each([
  ['one that lies', [ispe(60, 40)], [60, 40]],
  ['one turned by a quarter', [ispe(60, 40), box('irot', '\x03')], [40, 60]],
  ['one turned by a half, and mirrored', [ispe(60, 40), box('irot', '\x02'), box('imir', '\x01')], [60, 40]],
  ['one cut', [ispe(60, 40), box('clap', 41, 1, 61, 2, 0, 1, 0, 1)], [41, 30]],
  [
    'one cut, and turned',
    [ispe(60, 40), box('clap', 41, 1, 30, 1, 0, 1, 0, 1), box('irot', '\x01')],
    [30, 41],
  ],
])('the size of a picture of tiles is its own as it is shown: %s', (_name, properties, [width, height]) => {
  expect(detectContentType(avif(properties))).toEqual({ type: 'image/avif', width, height })
})

test('the size of a HEIC of one tile is not that of the tile', () => {
  expect(measureHeif(heic)).toEqual({ width: 64, height: 48 })
})

test('a sequence loses its times and descriptions, and what programs have added', () => {
  const time = 'Secret time'.padEnd(16)
  const header = (type: string, kept: string) => box(type, '\x01\0\0\0', time, kept)
  const track = box(
    'trak',
    header('tkhd', 'size'),
    box('mdia', header('mdhd', 'scale')),
    box('udta', 'Secret'),
  )
  const movie = box('moov', header('mvhd', 'rate'), track, box('meta', 'Secret'), box('udta', 'Secret'))
  const file = avif(
    [ispe(60, 40), box('udes', 'Secret words')],
    ...[
      movie,
      box('uuid', 'Secret'),
      box('mpvd', 'Secret video'),
      box('free', 'Secret'),
      box('mdat', 'pixels'),
    ],
  )
  const { content, isChanged } = cleanPicture('image/avif', Buffer.from(file))
  const cleaned = Buffer.concat(content).toString('latin1')
  expect(isChanged).toBe(true)
  expect(cleaned).not.toMatch(/Secret/)
  expect(cleaned.length).toBe(file.length)
  for (const kept of ['tkhd', 'size', 'mdhd', 'scale', 'mvhd', 'rate', 'pixels', 'ispe']) {
    expect([kept, cleaned.indexOf(kept)]).toEqual([kept, file.indexOf(kept)])
  }
})

/** So many pictures of one number, each with an entry and a place. */
function repeatedItems(count: number): Buffer {
  const ofCount = `${String.fromCharCode(count >> 8)}${String.fromCharCode(count & 255)}`
  const entries = Array(count).fill(box('infe', '\x02\0\0\0', '\0\x01', '\0\0', 'av01'))
  const places = '\0\x01\0\0\0\0\0\0'.repeat(count)
  return box(
    'meta',
    0,
    box('iinf', 0, ofCount, ...entries),
    box('iloc', '\x01\0\0\0', '\0\0', ofCount, places),
  )
}

test.each([
  ['boxes in each other', Buffer.concat(Array(2_000).fill(bytesOf(16_000, 'moov')))],
  ['items that are listed many times', repeatedItems(20_000)],
  ['items without a size', box('meta', 0, box('iloc', '\x01\0\0\0', '\0\0', '\xff\xff', '\0'.repeat(9_000)))],
])('%s do not keep the server busy', (_name, rest) => {
  const started = performance.now()
  const file = Buffer.concat([box('ftyp', 'avif'), rest])
  expect(() => cleanPicture('image/avif', file)).toThrow()
  expect(performance.now() - started).toBeLessThan(5_000)
})
