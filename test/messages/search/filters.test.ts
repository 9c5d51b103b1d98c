import { beforeAll, expect, test } from 'vitest'
import { firstIdAt } from '../../../src/ids.ts'
import { listIds } from '../../support/messages.ts'
import { told } from '../../support/permissions.ts'
import { q } from '../../support/search.ts'
import { webhook } from '../../support/webhooks.ts'
import {
  call,
  db,
  failure,
  group,
  house,
  houseRoom,
  message,
  type Person,
  user,
} from '../../support/world.ts'

let ann: Person
let bob: Person
let path: string
let ids: Record<'old' | 'link' | 'picture' | 'file' | 'mention' | 'plain', string>
let randomId: string

const attachment = (content_type: string) =>
  JSON.stringify({ key: 'e'.repeat(32), filename: 'x.bin', content_type, size: 1, dimensions: null })

beforeAll(async () => {
  ann = await user({ name: 'Ann Lee' })
  bob = await user({ name: 'Bob' })
  const den = await house({ owner: ann, members: [bob] })
  randomId = await houseRoom(den, { name: 'Random' })
  path = `/houses/${den.id}/messages/search?`
  ids = {
    old: firstIdAt(Date.UTC(2025, 2, 3, 12)),
    link: await message(den.room_id, bob, { content: 'word https://example.org' }),
    picture: await message(den.room_id, ann, { content: 'word' }),
    file: await message(den.room_id, bob, { content: 'word' }),
    mention: await message(randomId, bob, { content: 'word', mentions: [ann] }),
    plain: await message(randomId, ann, { content: 'word from:nobody has:time' }),
  }
  const old = await message(den.room_id, ann, { content: 'word old' })
  await db.updateTable('messages').set({ id: ids.old }).where('id', '=', old).execute()
  for (const [id, type] of [
    [ids.picture, 'image/png'],
    [ids.file, 'application/zip'],
  ] as const) {
    await db
      .updateTable('messages')
      .set({ attachment: attachment(type) })
      .where('id', '=', id)
      .execute()
  }
  await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${ids.old}`)
})

const expectHits = async (texts: Record<string, (keyof typeof ids)[]>, at = path) => {
  for (const [text, names] of Object.entries(texts)) {
    expect([text, await listIds(bob, at + q(text))]).toEqual([text, names.map((name) => ids[name])])
  }
}

test('from: narrows a search to authors, by username, name, id or as oneself', async () => {
  const byAnn: (keyof typeof ids)[] = ['plain', 'picture', 'old']
  const byBob: (keyof typeof ids)[] = ['mention', 'file', 'link']
  await expectHits({
    [`word from:${ann.username}`]: byAnn,
    [`from:@${ann.username} word`]: byAnn,
    'FROM:"ann lee"': byAnn,
    [`from:${ann.id}`]: byAnn,
    'from:me': byBob,
    'from:bob': byBob,
    [`from:bob from:${ann.id}`]: ['plain', 'mention', 'file', 'picture', 'link', 'old'],
    'from:nobody-of-this-name': [],
    '"from:nobody"': ['plain'],
  })
  expect(await listIds(bob, `${path}${q('from:bob')}&author_id=${ann.id}`)).toEqual([])
})

test('in: narrows a search to rooms, by name or id', async () => {
  await expectHits({
    'word in:random': ['plain', 'mention'],
    'in:#RANDOM': ['plain', 'mention'],
    [`in:${randomId} from:bob`]: ['mention'],
    'in:nowhere': [],
  })
})

test('before: and after: narrow a search to times', async () => {
  await expectHits({
    'before:2025-03-04': ['old'],
    'before:2025-03-03': [],
    'after:2025-03-03 before:2025-04': ['old'],
    'before:2025': [],
    'after:2025-03-03T12:00:00Z before:2025-03-03T13:30+01:00': ['old'],
    'after:2025-03-03T12:00:01Z before:2025-05': [],
    'before:1999-01-01': [],
    'before:9999 is:pinned': ['old'],
    'after:2090': [],
    'after:2025-04-01 is:pinned': [],
    'word before:2025-99-99': [],
  })
})

test('has: and is: narrow a search to what messages have and are', async () => {
  await expectHits({
    'has:file': ['file', 'picture'],
    'word has:picture': ['picture'],
    'has:link': ['link'],
    'has:mention': ['mention'],
    'has:file has:link': [],
    'is:pinned': ['old'],
    'word is:pinned -old': [],
    'has:time': ['plain'],
  })
})

test('from: finds what a webhook of the house has sent, by its name', async () => {
  const den = await house({ owner: ann, members: [bob] })
  const hook = await webhook(den, { name: 'Build Bot' })
  const sent = await call(null, 'POST', hook.path, { content: 'passed' })
  const at = `/houses/${den.id}/messages/search?`
  expect(await listIds(bob, at + q('from:"build bot"'))).toEqual([sent.body.data.id])
})

test('filters apply in private rooms', async () => {
  const room = await group(ann, bob)
  const id = await message(room, ann, { content: 'secret word' })
  await message(room, bob, { content: 'another word' })
  const search = (text: string) => listIds(bob, `/rooms/${room}/messages/search?${q(text)}`)
  expect(await search('word from:"Ann Lee"')).toEqual([id])
  expect(await search('from:bob secret')).toEqual([])
})

test('order=best puts whole words and short texts before beginnings, and newer messages last among equals', async () => {
  const den = await house({ owner: ann })
  const at = `/rooms/${den.room_id}/messages/search?`
  const short = await message(den.room_id, ann, { content: 'plum' })
  const long = await message(den.room_id, ann, { content: 'a plum beside many other things' })
  const beginning = await message(den.room_id, ann, { content: 'plums' })
  expect(await listIds(ann, `${at}${q('plum')}&order=best`)).toEqual([short, long, beginning])
  expect(await listIds(ann, `${at}${q('plum')}&order=best&limit=1`)).toEqual([short])
  expect(await listIds(ann, `${at}${q('plum')}&order=newest`)).toEqual([beginning, long, short])
  const wrong = await call(ann, 'GET', `${at}q=plum&order=worst`)
  expect(told(wrong)).toEqual([400, failure('invalid_schema', 'Invalid fields (order)')])
})
