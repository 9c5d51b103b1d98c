import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { listIds } from '../../support/messages.ts'
import { q } from '../../support/search.ts'
import { db, house, message, type Person, user } from '../../support/world.ts'

/** More than a search reads without the index. */
const later = 300

let ann: Person
let roomId: string
let path: string
let houseId: string

/** What each text must be found by, and must not be found by. */
const cases: [string, string[], string[]][] = [
  [
    'all messages of today',
    ['mess', 'message', 'messa', 'mes', '"messages"', 'tod'],
    ['messagesx', '"mess"', 'essages', 'me', 'sages'],
  ],
  ['Replying later', ['reply', 'repl', 'replying', 'replying lat'], ['replied', '"reply later"']],
  ['a Café in MÜNCHEN', ['cafe', 'café', 'CAFE\u0301', 'münchen', 'munch', 'cafe in'], ['caffe']],
  ['Straße nach Łódź', ['strasse', 'STRASSE', 'straße', 'lodz', 'Łód'], ['strase']],
  ['the ﬁle ｗｉｄｅ №5', ['file', 'wide', 'no5'], ['fole']],
  [
    'server at 192.168.10.7:8080',
    ['192.168', '192.168.10', '168.10', '8080', '192.168.10.7'],
    ['192.10', '168.192'],
  ],
  [
    'the file-name_of.things',
    ['file-name', 'name', 'file name', 'name_of', 'thin', 'of.things'],
    ['filename', 'things.of'],
  ],
  [
    'see https://docs.example.org/guide/install?step=2#top',
    [
      'example',
      'example.org',
      'docs.example.org/guide',
      'install',
      'step',
      'https://docs.example.org/guide/install?step=2#top',
    ],
    ['example.com'],
  ],
  ['it is https, example.net', ['https://example.net'], ['ftp://example.net']],
  ['mail to ann.lee@example.net', ['ann.lee', 'lee', 'ann.lee@example.net'], ['ann.net']],
  ['我昨天从上海回来了。', ['上海', '海', '昨天', '"上海回来"', '上海回来'], ['海上', '北京']],
  ['明日は東京タワーへ行きます', ['東京', 'タワー', '東京タワー', '行き'], ['京東', '大阪']],
  ['วันนี้อากาศดีมาก', ['อากาศ', 'ดีมาก', 'วันนี้'], ['ฝนตก']],
  ['ខ្ញុំចូលចិត្តភាសាខ្មែរ', ['ភាសា', 'ខ្មែរ'], ['បារាំង']],
  ['한국어를 공부합니다', ['한국', '국어', '공부'], ['중국']],
  ['Привет, ёжик', ['прив', 'привет', 'ежик', 'при'], ['ривет']],
  ['well done 🎉👍🏽 and ❤️', ['🎉', '👍', '👍🏽', '❤', '❤️', '🎉👍'], ['👎', '👍🎉']],
  ['👨‍👩‍👧 family in 🇩🇪', ['👨‍👩‍👧', '🇩🇪', '👩'], ['🇫🇷']],
  ['co\u00ADoperate zero\u200Bwidth', ['cooperate', 'zerowidth'], ['operate']],
  ['x', ['x'], ['y']],
]
const ids = new Map<string, string>()

beforeAll(async () => {
  ann = await user()
  const den = await house({ owner: ann })
  houseId = den.id
  roomId = den.room_id
  path = `/rooms/${roomId}/messages/search?`
  for (const [content] of cases) ids.set(content, await message(roomId, ann, { content }))
})

const found = (text: string) => listIds(ann, `${path}${q(text)}&limit=100`)

async function expectFound(): Promise<void> {
  for (const [content, hits, misses] of cases) {
    const id = ids.get(content)!
    for (const text of hits)
      expect([content, text, await found(text)]).toEqual([content, text, expect.arrayContaining([id])])
    for (const text of misses)
      expect([content, text, await found(text)]).toEqual([content, text, expect.not.arrayContaining([id])])
  }
}

test('words are found by their beginnings and parts, without case and accents, in all scripts', async () => {
  await expectFound()
})

test('the name of a file is searched', async () => {
  const attachment = {
    key: 'f'.repeat(32),
    filename: 'Rechnung-März_2026.pdf',
    content_type: 'application/pdf',
    size: 1,
    dimensions: null,
  }
  const id = await message(roomId, ann, { content: '' })
  await db
    .updateTable('messages')
    .set({ attachment: JSON.stringify(attachment) })
    .where('id', '=', id)
    .execute()
  for (const text of ['rechnung', 'marz', 'märz_2026', '2026.pdf', 'rechnung has:file'])
    expect([text, await found(text)]).toEqual([text, [id]])
  expect(await found('rechnung has:picture')).toEqual([])
})

test('they are found by the index, too', async () => {
  const newer = Array.from({ length: later }, () => newId())
  await sql`insert into messages (room_id, house_id, id, author_id, device_id, content)
    select ${roomId}::bigint, ${houseId}::bigint, later, ${ann.id}::bigint, 1, 'later' from unnest(${newer}::bigint[]) as later`.execute(
    db,
  )
  await expectFound()
})

test('a hostile search is answered', async () => {
  for (const text of [
    Array.from({ length: 100 }, (_, n) => String.fromCharCode(97 + (n % 26))).join(' '),
    Array.from({ length: 50 }, (_, n) => `ab${String.fromCharCode(97 + (n % 26))}`).join(' '),
    '上'.repeat(200),
    '-'.repeat(200),
    `${'from:x '.repeat(28)}`,
    '%_\\%'.repeat(50),
    '"'.repeat(199),
    '\u0301'.repeat(200),
    "'&|!():*<->".repeat(18),
  ]) {
    expect(await found(text)).toEqual([])
  }
})

test.each([
  ['marks of several kinds', `z${'\u0323\u0301\u1DCE\u0315'.repeat(999)}\u0E48`, 'z'],
  ['vowel signs and tones', `a ${'\u0E48\u0E38'.repeat(1_998)} z`, 'a z'],
  ['signs that stand for many letters', '\uFDFA'.repeat(4_000), 'صلى'],
])('folding %s takes no long time', async (_name, text, found) => {
  const started = performance.now()
  const { rows } = await sql<{ folded: string }>`
    select max(search_text(${text}::text || n, null)) as folded from generate_series(1, 200) as n`.execute(db)
  expect(performance.now() - started).toBeLessThan(6_000)
  expect(rows[0]!.folded).toContain(found)
})
