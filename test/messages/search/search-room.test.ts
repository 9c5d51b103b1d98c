import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { roomNotFound, told } from '../../support/permissions.ts'
import { allPages, archive, holding, longArchive, q, refusesWrongSearches } from '../../support/search.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { type Answer, call, db, group, house, message, user } from '../../support/world.ts'

test('all words must occur, in any order and case; quotes make a phrase, a minus excludes', async () => {
  const { ids, inRoom } = await archive()
  expect(await inRoom(q('apples RED'))).toEqual([ids.pears, ids.apples])
  expect(await inRoom(q('"red apples"'))).toEqual([ids.apples])
  expect(await inRoom(q('apples -bob -plums'))).toEqual([ids.pears, ids.apples])
  expect(await inRoom(q('äpfel rot'))).toEqual([ids.german])
  expect(await inRoom(q('pears or plums'))).toEqual([])
  expect(await inRoom(q('plums OR apples'))).toEqual([ids.or])
  expect(await inRoom(q('and'))).toEqual([ids.apples])
  expect(await inRoom(q(`apples ${'-<'.repeat(40)}bob ${'-'.repeat(40)}plums`))).toEqual([
    ids.pears,
    ids.apples,
  ])
  expect(await inRoom(q(`'); drop table messages; -- &|!:*(`))).toEqual([])
})

test('joined words and URLs are found as written; a single dash excludes nothing', async () => {
  const { say, inRoom } = await archive()
  const pieces = [
    'this and/or that',
    'now or-else never',
    'all double-or-nothing',
    'dwie orła oczy',
    'see https://example.org/plums?or=1&and=2 there',
    'alpha - beta',
  ]
  for (const piece of pieces) {
    const id = await say(piece)
    const [first, middle, ...rest] = piece.split(' ')
    for (const text of [piece, middle!, [middle, first, ...rest].join(' ')]) {
      if (text !== '-') expect([text, await inRoom(q(text))]).toEqual([text, [id]])
    }
  }
})

test('results have the list form, filtered by author and before an id, up to a limit', async () => {
  const { bob, den, ids, inRoom } = await archive()
  expect(await inRoom(`${q('apples')}&author_id=${bob.id}`)).toEqual([ids.pears])
  expect(await inRoom(`${q('apples')}&before=${ids.or}&limit=1`)).toEqual([ids.pears])
  expect(await inRoom(`${q('apples')}&limit=1`)).toEqual([ids.or])
  expect(await inRoom(`${q('apples')}&author_id=1`)).toEqual([])
  const found = await call(bob, 'GET', `/rooms/${den.room_id}/messages/search?${q('plums')}`)
  const single = await call(bob, 'GET', `/rooms/${den.room_id}/messages/${ids.or}`)
  expect(found.body.data).toEqual([single.body.data])
})

test('participants can search a private room', async () => {
  const [ann, ben] = [await user(), await user()]
  const many = await group(ann, ben)
  const id = await message(many, ann, { content: 'plum cake' })
  const search = (caller: typeof ann) => call(caller, 'GET', `/rooms/${many}/messages/search?${q('plum')}`)
  expect((await search(ben)).body.data).toMatchObject([{ id }])
  expect(told(await search(await user()))).toEqual([404, roomNotFound])
})

test('a search of a room finds no exploded message', async () => {
  const { den, ann, inRoom } = await archive()
  const fields = { content: 'secret', expires_at: new Date(Date.now() - 1) }
  await message(den.room_id, ann, fields)
  expect(await inRoom(q('secret'))).toEqual([])
})

test('the pages of a search in thousands of messages contain every result once, newest first', async () => {
  const { bob, den } = await longArchive(2)
  const url = `/rooms/${den.room_id}/messages/search?`
  for (const word of ['common', 'needle', 'old', 'absent']) {
    expect([word, await allPages(bob, url + q(word), 50)]).toEqual([
      word,
      await holding([den.room_id], [word], []),
    ])
  }
  const byBob = await holding([den.room_id], ['old'], ['common'], bob)
  expect(await allPages(bob, `${url}${q('old -common')}&author_id=${bob.id}`, 20)).toEqual(byBob)
  expect(await allPages(bob, url + q('-said'), 20)).toEqual([])
  expect(await allPages(bob, url + q('-'), 20)).toEqual([])
})

test('wrong parameters answer invalid_schema with their names', async () => {
  const { bob, den } = await archive()
  await refusesWrongSearches(bob, `/rooms/${den.room_id}/messages/search`)
})

test('an unreadable or unknown room answers room_not_found', async () => {
  const { bob, hidden } = await archive()
  const den = await house({ owner: bob })
  for (const [caller, id] of [
    [bob, hidden],
    [await user(), den.room_id],
    [bob, '1'],
    [bob, 'x'],
  ] as const) {
    const answer = await call(caller, 'GET', `/rooms/${id}/messages/search?q=a`)
    expect(told(answer)).toEqual([404, roomNotFound])
  }
})

test('slow searches leave connections to other requests, and those of one user leave a slot to others', async () => {
  const { ann, bob, den } = await archive()
  const url = `/rooms/${den.room_id}/messages/search?${q('apples')}`
  const searches = await db.transaction().execute(async (trx) => {
    await sql`lock table messages in access exclusive mode`.execute(trx)
    const refused: Answer[] = []
    const answers = Array.from({ length: 70 }, async () => {
      const answer = await call(ann, 'GET', url)
      if (answer.status === 503) refused.push(answer)
      return answer
    })
    // One runs, and 64 wait.
    await expect.poll(() => refused.length).toBe(5)
    const answer = call(bob, 'GET', url)
    await untilWaiting(2)
    expect((await call(ann, 'GET', '/users/@me')).status).toBe(200)
    return { answers, answer }
  })
  expect((await searches.answer).status).toBe(200)
  const statuses = (await Promise.all(searches.answers)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([...Array(65).fill(200), ...Array(5).fill(503)])
})
