import { expect, test } from 'vitest'
import { houseNotFound, told } from '../../support/permissions.ts'
import { allPages, archive, holding, longArchive, q, refusesWrongSearches } from '../../support/search.ts'
import { call, message, type Person, user } from '../../support/world.ts'

test('a search in a house covers the rooms the caller can read, newest first', async () => {
  const { ann, den, ids, inHouse } = await archive()
  expect(await inHouse(q('apples'))).toEqual([ids.second, ids.or, ids.pears, ids.apples])
  const asOwner = await call(ann, 'GET', `/houses/${den.id}/messages/search?${q('apples')}`)
  expect(asOwner.body.data[0].id).toBe(ids.hidden)
})

test('results have the list form, filtered by author and before an id, up to a limit', async () => {
  const { bob, den, second, ids, inHouse } = await archive()
  expect(await inHouse(`${q('apples')}&author_id=${bob.id}`)).toEqual([ids.second, ids.pears])
  expect(await inHouse(`${q('apples')}&before=${ids.or}&limit=1`)).toEqual([ids.pears])
  expect(await inHouse(q('"apples elsewhere" -red'))).toEqual([ids.second])
  const found = await call(bob, 'GET', `/houses/${den.id}/messages/search?${q('elsewhere')}`)
  const single = await call(bob, 'GET', `/rooms/${second}/messages/${ids.second}`)
  expect(found.body.data).toEqual([single.body.data])
})

test('a search of a house finds no exploded message', async () => {
  const { den, ann, inHouse } = await archive()
  await message(den.room_id, ann, { content: 'secret', expires_at: new Date(Date.now() - 1) })
  expect(await inHouse(q('secret'))).toEqual([])
})

test.each([3, 12, 24])(
  'the pages of a search through the thousands of messages of %i rooms hold every hit once, newest first',
  async (rooms) => {
    const { ann, bob, den, readable } = await longArchive(rooms)
    const url = `/houses/${den.id}/messages/search?`
    for (const [words, without, author] of [
      [['common'], []],
      [['needle'], []],
      [['needle', 'common'], ['old']],
      [['common', 'old'], []],
      [['absent'], []],
      [[], ['said']],
      [[], ['common'], bob],
      [['needle'], ['common'], ann],
      [['old'], [], bob],
    ] as [string[], string[], Person?][]) {
      const text = [...words, ...without.map((word) => `-${word}`)].join(' ')
      const query = author ? `${q(text)}&author_id=${author.id}` : q(text)
      const hits = await holding(readable, words, without, author)
      expect([query, await allPages(bob, url + query, 100)]).toEqual([query, hits])
    }
    const needles = await holding(readable, ['needle'], [])
    expect(await allPages(bob, url + q('needle'), 7)).toEqual(needles)
    expect(await allPages(bob, url + q('-'), 50)).toEqual([])
  },
)

test('wrong parameters answer invalid_schema with their names', async () => {
  const { bob, den } = await archive()
  await refusesWrongSearches(bob, `/houses/${den.id}/messages/search`)
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [{ den }, stranger] = [await archive(), await user()]
  for (const id of [den.id, '1', 'x']) {
    const answer = await call(stranger, 'GET', `/houses/${id}/messages/search?q=a`)
    expect(told(answer)).toEqual([404, houseNotFound])
  }
})
