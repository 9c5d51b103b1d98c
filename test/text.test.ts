import { describe, expect, test } from 'vitest'
import { cleanLine, isVisible } from '../src/text.ts'
import { sendMedia } from './support/media.ts'
import { filePart } from './support/multipart.ts'
import { required, told } from './support/permissions.ts'
import { call, house, houseRoom, user } from './support/world.ts'

const [ann] = [await user()]
const den = await house({ owner: ann })

describe('a line that is stored', () => {
  test.each([
    ['an override of the direction', '\u202etxe live', 'txe live'],
    ['isolates', '\u2066hi\u2069', 'hi'],
    ['marks of direction', '\u200fa\u200e\u061c', 'a'],
    ['a zero width space', 'a\u200bb', 'ab'],
    ['a soft hyphen', 'a\u00adb', 'ab'],
    ['a filler of Hangul', 'a\u3164b\uffa0', 'ab'],
    ['an empty pattern of Braille', 'a\u2800b', 'ab'],
    ['a byte order mark', '\ufeffa', 'a'],
    ['joiners of hieroglyphs, and a filler of Khitan', 'a\u{13430}b\u{16fe4}', 'ab'],
    ['tags', 'a\u{e0041}\u{e0042}', 'a'],
    ['tags after a flag that are no place', '\u{1f3f4}\u{e0061}\u{e0062}', '\u{1f3f4}'],
    ['a joiner between Latin letters', 'a\u200db', 'ab'],
    ['a selector after a letter', 'a\ufe0fb', 'ab'],
  ])('loses %s', (_what, text, cleaned) => {
    expect(cleanLine(text)).toBe(cleaned)
  })

  test.each([
    ['a family', '👨‍👩‍👧'],
    ['an emoji with a selector', '❤️'],
    ['a rainbow flag', '🏳️‍🌈'],
    ['an astronaut with a skin tone', '👩🏽‍🚀'],
    ['a key', '1️⃣'],
    ['the flag of England', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['Persian with ZWNJ', 'نمی\u200cخواهم'],
    ['Hindi with ZWJ', 'क्\u200dष'],
    ['a Malayalam word that ends with ZWJ', 'അനില്\u200d'],
    ['a Mongolian word with its vowel separator', 'ᠰᠠᠷ\u180eᠠ'],
    ['a form of an ideograph', '葛\u{e0100}'],
    ['Arabic with vowels', 'مُحَمَّد'],
    ['Hebrew', 'שלום'],
  ])('keeps %s', (_what, text) => {
    expect(cleanLine(text)).toBe(text)
  })

  test('is cleaned in a time that grows with its length', () => {
    const started = performance.now()
    cleanLine(`\u{1f3f4}${'\u{e0061}'.repeat(50_000)}`)
    expect(performance.now() - started).toBeLessThan(800)
  })

  test('is composed, and has spaces for separators', () => {
    expect(cleanLine('e\u0301')).toBe('é')
    expect(cleanLine('a\u2028b\u2029c')).toBe('a b c')
  })

  test('nothing is seen of white space and invisible characters', () => {
    for (const text of [
      '',
      ' ',
      '\u200b',
      '\u3164',
      '\u2800',
      '\u00ad',
      '\u202e\u2066',
      '\u{e0041}',
      '\u2028',
    ]) {
      expect([text, isVisible(text)]).toEqual([text, false])
    }
    for (const text of ['a', '‮a', '🏳️‍🌈', '.', '\u0301']) expect([text, isVisible(text)]).toEqual([text, true])
  })
})

test.each([
  ['tags of flags', '\u{e0020}'],
  ['marks in the wrong order', '\u0301\u0316'],
])('a name with 200 kB of %s is refused at once', async (_what, repeated) => {
  const name = repeated.repeat(50_000)
  const before = performance.now()
  const { status, body } = await call(ann, 'PATCH', '/users/@me', { name })
  expect([status, body.error.code]).toEqual([400, 'invalid_schema'])
  expect(performance.now() - before).toBeLessThan(1_000)
})

const hidden = '\u202eA\u200bn\u00adn\u2066 e\u0301\u3164'

test.each<[string, () => Promise<{ method: 'POST' | 'PATCH'; url: string; body?: object }>]>([
  ['a user', async () => ({ method: 'PATCH', url: '/users/@me' })],
  ['a house', async () => ({ method: 'PATCH', url: `/houses/${den.id}` })],
  ['a room', async () => ({ method: 'PATCH', url: `/rooms/${await houseRoom(den)}` })],
  ['a role', async () => ({ method: 'POST', url: `/houses/${den.id}/roles` })],
  ['an entity', async () => ({ method: 'POST', url: `/houses/${den.id}/entities`, body: { type: 1 } })],
  [
    'a webhook',
    async () => ({ method: 'POST', url: `/houses/${den.id}/webhooks`, body: { room_id: den.room_id } }),
  ],
])('the name of %s is cleaned, and something of it must be seen', async (_whose, asked) => {
  const { method, url, body } = await asked()
  const named = await call(ann, method, url, { ...body, name: hidden })
  expect([named.status, JSON.stringify(named.body.data)]).toEqual([200, expect.stringContaining('"Ann é"')])
  const refused = await call(ann, method, url, { ...body, name: '\u200b\u3164' })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_schema'])
  // Invisible characters do not count towards the length.
  const long = `${'\u200b'.repeat(100)}${'x'.repeat(64)}`
  expect((await call(ann, method, url, { ...body, name: long })).status).toBe(200)
})

test('the description of a room is cleaned', async () => {
  const room = await houseRoom(den)
  const edited = await call(ann, 'PATCH', `/rooms/${room}`, { description: '\u202eone\ntwo\u200b' })
  expect(edited.body.data.description).toBe('one\ntwo')
})

test('a file is called what its name shows', async () => {
  for (const [sent, stored] of [
    ['invoice\u202egpj.exe', 'invoicegpj.exe'],
    ['cafe\u0301.txt', 'café.txt'],
    ['\u200b\u2066', 'file'],
  ] as const) {
    const { body } = await sendMedia(ann, den.room_id, filePart('x', sent))
    expect(body.data.attachment.filename).toBe(stored)
  }
})

test('a message has something to see, and keeps every character', async () => {
  const url = `/rooms/${den.room_id}/messages`
  for (const content of ['\u200b', '\u3164 \u2800', '\u2066\u2069\n']) {
    expect(told(await call(ann, 'POST', url, { content }))).toEqual([400, required('content')])
  }
  const sent = await call(ann, 'POST', url, { content: hidden })
  expect(sent.body.data.content).toBe(hidden)
  const edited = await call(ann, 'PATCH', `${url}/${sent.body.data.id}`, { content: '\u200b' })
  expect(told(edited)).toEqual([400, required('content')])
})

test('a name of many marks is refused at once, to somebody without an account, too', async () => {
  const name = `a${'\u0315'.repeat(40_000)}${'\u0300'.repeat(40_000)}`
  for (const [caller, method, url] of [
    [null, 'POST', '/auth/register'],
    [ann, 'PATCH', '/users/@me'],
    [ann, 'PATCH', `/houses/${den.id}`],
  ] as const) {
    const started = performance.now()
    const refused = await call(caller, method, url, {
      name,
      email: 'a@example.org',
      username: 'marks',
      password: 'long enough',
    })
    expect(refused.status).toBe(400)
    expect(performance.now() - started).toBeLessThan(800)
  }
})

test('so is a file whose name has many marks, of which it keeps the first', async () => {
  const started = performance.now()
  const name = `a${'\u0315'.repeat(10_000)}${'\u0300'.repeat(10_000)}`
  const { body } = await sendMedia(ann, den.room_id, filePart('x', name))
  expect(body.data.attachment.filename).toHaveLength(128)
  expect(performance.now() - started).toBeLessThan(800)
})
