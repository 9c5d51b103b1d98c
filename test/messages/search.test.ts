import { expect, test } from 'vitest'
import { listIds, refusesStrangers, roomNotFound } from '../support/messages.ts'
import { call, failure, house, houseRoom, message, user } from '../support/world.ts'

/** A house with messages by two people, by content. */
async function archive() {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const hidden = await houseRoom(den, { default_deny: 2 })
  const second = await houseRoom(den)
  const say = (content: string, author = ann, roomId = den.room_id) => message(roomId, author, { content })
  const ids = {
    apples: await say('Red apples and pears'),
    pears: await say('pears, red as apples', bob),
    german: await say('Die Äpfel sind ROT'),
    or: await say('apples or plums'),
    second: await say('apples elsewhere', bob, second),
    hidden: await say('apples in hiding', ann, hidden),
  }
  const inRoom = (query: string) => listIds(bob, `/rooms/${den.room_id}/messages/search?${query}`)
  const inHouse = (query: string) => listIds(bob, `/houses/${den.id}/messages/search?${query}`)
  return { ann, bob, den, hidden, ids, say, inRoom, inHouse }
}

const q = (text: string) => `q=${encodeURIComponent(text)}`

test('all words must occur, in any order and case; quotes make a phrase, a minus excludes', async () => {
  const { ids, inRoom } = await archive()
  expect(await inRoom(q('apples RED'))).toEqual([ids.pears, ids.apples])
  expect(await inRoom(q('"red apples"'))).toEqual([ids.apples])
  expect(await inRoom(q('apples -bob -plums'))).toEqual([ids.pears, ids.apples])
  expect(await inRoom(q('äpfel rot'))).toEqual([ids.german])
  expect(await inRoom(q('pears or plums'))).toEqual([])
  expect(await inRoom(q('plums OR apples'))).toEqual([ids.or])
  expect(await inRoom(q('and'))).toEqual([ids.apples])
  expect(await inRoom(q(`'); drop table messages; -- &|!:*(`))).toEqual([])
})

test('a search in a house covers the rooms the caller can read', async () => {
  const { ids, inHouse } = await archive()
  expect(await inHouse(q('apples'))).toEqual([ids.second, ids.or, ids.pears, ids.apples])
})

test('the hits are list-form messages, by author, before an id, and up to a limit', async () => {
  const { bob, den, ids, inRoom, inHouse } = await archive()
  expect(await inHouse(`${q('apples')}&author_id=${bob.id}`)).toEqual([ids.second, ids.pears])
  expect(await inHouse(`${q('apples')}&before=${ids.or}&limit=1`)).toEqual([ids.pears])
  expect(await inRoom(`${q('apples')}&limit=1`)).toEqual([ids.or])
  expect(await inRoom(`${q('apples')}&author_id=1`)).toEqual([])
  const found = await call(bob, 'GET', `/rooms/${den.room_id}/messages/search?${q('plums')}`)
  const single = await call(bob, 'GET', `/rooms/${den.room_id}/messages/${ids.or}`)
  expect(found.body.data).toEqual([single.body.data])
})

test('exploded messages are not found', async () => {
  const { den, ann, inRoom } = await archive()
  const fields = { content: 'secret', expires_at: new Date(Date.now() - 1) }
  await message(den.room_id, ann, fields)
  expect(await inRoom(q('secret'))).toEqual([])
})

test('a wrong search answers invalid_schema with the names', async () => {
  const { bob, den } = await archive()
  const wrong: Record<string, string> = {
    '': 'Required fields (q) not met',
    'q=': 'Required fields (q) not met',
    'q=%20': 'Required fields (q) not met',
    'q=%00': 'Required fields (q) not met',
    [q('a'.repeat(201))]: 'Required fields (q) not met',
    'q=a&author_id=x': 'Invalid fields (author_id)',
    'q=a&before=x': 'Invalid fields (before)',
    'q=a&limit=101': 'Invalid fields (limit)',
  }
  for (const path of [`/rooms/${den.room_id}`, `/houses/${den.id}`]) {
    for (const [query, message] of Object.entries(wrong)) {
      const answer = await call(bob, 'GET', `${path}/messages/search?${query}`)
      expect([answer.status, answer.body]).toEqual([400, failure('invalid_schema', message)])
    }
  }
})

test('foreign and unknown rooms and houses answer as if they did not exist', async () => {
  const { bob, hidden } = await archive()
  const stranger = await user()
  const den = await house({ owner: bob })
  for (const [caller, id] of [
    [bob, hidden],
    [stranger, den.room_id],
    [bob, 'x'],
  ] as const) {
    const answer = await call(caller, 'GET', `/rooms/${id}/messages/search?q=a`)
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
  for (const id of [den.id, '1', 'x']) {
    const answer = await call(stranger, 'GET', `/houses/${id}/messages/search?q=a`)
    expect([answer.status, answer.body]).toEqual([
      404,
      failure('house_not_found', 'That house does not exist'),
    ])
  }
})

test('without a token, or with a faulty one, a search answers no_auth', async () => {
  await refusesStrangers('GET', '/rooms/1/messages/search?q=a')
  await refusesStrangers('GET', '/houses/1/messages/search?q=a')
})
