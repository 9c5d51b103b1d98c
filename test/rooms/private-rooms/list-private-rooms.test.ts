import { expect, test } from 'vitest'
import { greatestId } from '../../../src/ids.ts'
import type { Room } from '../../../src/rooms/schemas.ts'
import { crowd, groups } from '../../support/crowds.ts'
import { invalid, told } from '../../support/permissions.ts'
import { gatewayUser } from '../../support/rooms.ts'
import { statementsOf } from '../../support/statements.ts'
import { call, group, house, message, oneToOne, user } from '../../support/world.ts'

test('private rooms are listed latest activity first, without foreign and house rooms', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await house({ owner: ann, members: [ben] })
  await oneToOne(ben, cat)
  const withBen = await oneToOne(ann, ben)
  const picnic = await group(cat, ann, ben)
  const quiet = await group(ann)
  const idsOf = async () => {
    const answer = await call(ann, 'GET', '/users/@me/rooms')
    expect(answer.status).toBe(200)
    return answer.body.data.map((room: { id: string }) => room.id)
  }
  expect(await idsOf()).toEqual([quiet, picnic, withBen])
  await message(withBen, ben)
  expect(await idsOf()).toEqual([withBen, quiet, picnic])
})

test('each room has the full form for the caller', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const withBen = await oneToOne(ann, ben)
  const alone = await group(ann)
  const picnic = await group(cat, ann, ben)
  const answer = await call(ann, 'GET', '/users/@me/rooms')
  const nothing = {
    house_id: null,
    name: null,
    position: null,
    emoji: null,
    description: null,
    last_message_id: null,
    permission_overrides: null,
    default_permission_override: null,
  }
  expect(answer.body.data).toEqual([
    { ...nothing, id: picnic, type: 2, recipients: [gatewayUser(cat), gatewayUser(ben)], owner_id: cat.id },
    { ...nothing, id: alone, type: 2, recipients: [gatewayUser(ann)], owner_id: ann.id },
    { ...nothing, id: withBen, type: 1, recipients: [gatewayUser(ben)], owner_id: null },
  ])
})

test('without private rooms the list is empty', async () => {
  const answer = await call(await user(), 'GET', '/users/@me/rooms')
  expect(answer.body).toEqual({ success: true, data: [] })
})

test('pages follow each other by activity, without overlap or gap, until one is empty', async () => {
  const [ann, ben] = [await user(), await user()]
  const ids = await groups(ben, [ann.id], 7)
  // A new message gives the oldest room the latest activity, then the third one.
  await message(ids[2]!, ben)
  await message(ids[0]!, ben)
  const seen: string[][] = []
  let before = greatestId
  for (;;) {
    const { data } = (await call(ann, 'GET', `/users/@me/rooms?limit=3&before=${before}`)).body
    seen.push(data.map((room: Room) => room.id))
    if (data.length === 0) break
    const last: Room = data.at(-1)
    before = last.last_message_id ?? last.id
  }
  const order = [0, 2, 6, 5, 4, 3, 1].map((place) => ids[place]!)
  expect(seen).toEqual([order.slice(0, 3), order.slice(3, 6), order.slice(6), []])
})

test('a page has 200 rooms without a limit, and 1,000 at most', async () => {
  const [ann, ben] = [await user(), await user()]
  const ids = await groups(ben, [ann.id], 1_001)
  const list = async (query: string) => {
    const { data } = (await call(ann, 'GET', `/users/@me/rooms${query}`)).body
    return data.map((room: Room) => room.id)
  }
  const newestFirst = ids.toReversed()
  expect(await list('')).toEqual(newestFirst.slice(0, 200))
  expect(await list('?limit=1000')).toEqual(newestFirst.slice(0, 1_000))
  expect(await list(`?before=${ids[1]}`)).toEqual([ids[0]])
})

test('a response has at most 3.5 MiB, and the rest follows by paging', async () => {
  const ann = await user()
  const people = await crowd(49, { name: '🚀'.repeat(64), bio: '🚀'.repeat(512) })
  const ids = await groups({ id: people[0]! }, [...people.slice(1), ann.id], 60)
  const seen: string[] = []
  const pages: number[] = []
  for (let before = greatestId; ; before = seen.at(-1)!) {
    const { text, body } = await call(ann, 'GET', `/users/@me/rooms?before=${before}`)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3.5 * 1024 * 1024)
    if (body.data.length === 0) break
    pages.push(body.data.length)
    seen.push(...body.data.map((room: Room) => room.id))
    expect(body.data[0].recipients.map((one: Room) => one.id)).toEqual(people)
  }
  expect(seen).toEqual(ids.toReversed())
  expect(pages.length).toBeGreaterThan(1)
  // As many as fit: about 124 kB each.
  expect(pages[0]).toBeGreaterThan(25)
})

test('a statement reads rooms of at most 500 participants, and no more than fit', async () => {
  const ann = await user()
  const people = await crowd(49, { name: '🚀'.repeat(64), bio: '🚀'.repeat(512) })
  await groups({ id: people[0]! }, [...people.slice(1), ann.id], 100)
  const statements = await statementsOf(() => call(ann, 'GET', '/users/@me/rooms'))
  const read = statements
    .filter(({ text }) => text.includes('participant_ids'))
    .map(({ values }) => values[0])
  const counts = read.map((ids) => (ids as string[]).length)
  expect(Math.max(...counts)).toBeLessThanOrEqual(10)
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(40)
})

test('concurrent lists of one user are all answered', async () => {
  const [ann, ben] = [await user(), await user()]
  const ids = await groups(ben, [ann.id], 3)
  const answers = await Promise.all(Array.from({ length: 40 }, () => call(ann, 'GET', '/users/@me/rooms')))
  for (const { body } of answers) expect(body.data.map((room: Room) => room.id)).toEqual(ids.toReversed())
})

test.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=', 'limit'],
  ['limit=5&limit=6', 'limit'],
  ['before=x', 'before'],
  ['before=-1', 'before'],
  ['before=9223372036854775808', 'before'],
  ['limit=x&before=01', 'before, limit'],
])('the malformed page %s answers invalid_schema', async (query, fields) => {
  const answer = await call(await user(), 'GET', `/users/@me/rooms?${query}`)
  expect(told(answer)).toEqual([400, invalid(fields)])
})
