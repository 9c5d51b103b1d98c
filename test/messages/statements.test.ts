import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { firstIdAt } from '../../src/ids.ts'
import { ownWorld } from '../support/own-world.ts'
import { explain, statementsOf } from '../support/statements.ts'
import { call, databaseUrl, db, house, houseRoom, type Person, user } from '../support/world.ts'

await ownWorld()

const dayMs = 86_400_000

let ann: Person
let bob: Person
let roomId: string

beforeAll(async () => {
  ;[ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  roomId = den.room_id
  const rooms = [roomId]
  for (let n = 0; n < 30; n += 1) rooms.push(await houseRoom(den))
  const first = firstIdAt(Date.now() - dayMs)
  // Every second message is in the first room, every fourth mentions bob.
  await sql`
    insert into messages (room_id, id, author_id, device_id, content, mentions)
    select (${rooms}::bigint[])[case when n % 2 = 0 then 1 else 2 + n % 30 end], ${first}::bigint + n::bigint * 4194304,
      ${ann.id}, 1, 'message ' || n, case when n % 4 = 0 then array[${bob.id}::bigint] else '{}' end
    from generate_series(1, 20000) as n`.execute(db)
  await sql`
    insert into mentions (user_id, message_id, room_id, author_id)
    select unnest(mentions), id, room_id, author_id from messages`.execute(db)
  await sql`analyze`.execute(db)
})

async function countOf(caller: Person, ...request: ['GET' | 'POST', string, unknown?]): Promise<number> {
  const statements = await statementsOf(async () => {
    expect((await call(caller, ...request)).status).toBe(200)
  })
  return statements.length
}

test('the own user takes two statements at most', async () => {
  expect(await countOf(ann, 'GET', '/users/@me')).toBeLessThanOrEqual(2)
  expect(await countOf(ann, 'GET', `/users/${bob.id}`)).toBeLessThanOrEqual(2)
})

test('a send takes four statements at most, with mentions or without', async () => {
  const url = `/rooms/${roomId}/messages`
  expect(await countOf(ann, 'POST', url, { content: 'plain' })).toBeLessThanOrEqual(4)
  const content = `<@${ann.id}> <@${bob.id}>`
  expect(await countOf(ann, 'POST', url, { content, nonce: 'n' })).toBeLessThanOrEqual(4)
})

test('fifty concurrent sends share statements', async () => {
  const statements = await statementsOf(() =>
    Promise.all(
      Array.from({ length: 50 }, () => call(ann, 'POST', `/rooms/${roomId}/messages`, { content: 'x' })),
    ),
  )
  expect(statements.length).toBeLessThan(25)
})

// Messages and people are read apart.
test('a page of a room takes three statements at most, whatever its length', async () => {
  for (const limit of [1, 50, 100]) {
    expect(await countOf(bob, 'GET', `/rooms/${roomId}/messages?limit=${limit}`)).toBeLessThanOrEqual(3)
  }
})

test('a page takes one statement more for extended clients, whatever its reactions', async () => {
  const { rows } = await sql<{ id: string }>`
    select id from messages where room_id = ${roomId} order by id desc limit 100`.execute(db)
  const emojis = [...'👍🎉🚀']
  await sql`
    insert into reactions (room_id, message_id, emoji, user_id)
    select ${roomId}, id, emoji, user_id from unnest(${rows.map(({ id }) => id)}::bigint[]) as id,
      unnest(${emojis}::text[]) as emoji, unnest(${[ann.id, bob.id]}::bigint[]) as user_id`.execute(db)
  await sql`
    insert into reaction_counts (room_id, message_id, emoji, count, place)
    select room_id, message_id, emoji, count(*), 1 from reactions group by 1, 2, 3`.execute(db)
  for (const limit of [1, 50, 100]) {
    const url = `/rooms/${roomId}/messages?limit=${limit}`
    expect(await countOf(bob, 'GET', `${url}&extended=true`)).toBe((await countOf(bob, 'GET', url)) + 1)
  }
  const statements = await statementsOf(() => call(bob, 'GET', `/rooms/${roomId}/messages?extended=true`))
  const plan = await explain(databaseUrl, statements.find(({ text }) => text.includes('reaction_counts'))!)
  const scanned = plan.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])
  // It is empty.
  expect(scanned.filter((table) => table !== 'pins')).toEqual([])
})

// The mentions; who is blocked, the rooms and the membership beside the messages and their people; the token before.
test('a page of mentions takes seven statements at most, whatever its length', async () => {
  for (const limit of [1, 50, 100]) {
    expect(await countOf(bob, 'GET', `/streams/@me/mentions?limit=${limit}`)).toBeLessThanOrEqual(7)
  }
})

test('pages of messages and mentions scan no table, and sort no room', async () => {
  const before = firstIdAt(Date.now() - dayMs + 10_000)
  const urls = ['', `&before=${before}`, `&after=${before}`, `&around=${before}`].flatMap((query) => [
    `/rooms/${roomId}/messages?limit=50${query}`,
    `/streams/@me/mentions?limit=50${query}`,
  ])
  for (const url of urls) {
    const statements = await statementsOf(() => call(bob, 'GET', url))
    const hot = statements.filter(({ text }) => /\b(?:messages|mentions)\b/.test(text))
    expect(hot.length).toBeGreaterThan(0)
    const plans = await Promise.all(hot.map((statement) => explain(databaseUrl, statement)))
    for (const plan of plans.flat()) {
      const isLarge = ['messages', 'mentions'].includes(plan['Relation Name'] ?? '')
      if (isLarge) expect(`${url}: ${plan['Node Type']}`).not.toContain('Seq Scan')
      expect(plan['Actual Rows'], `${url}: ${plan['Node Type']}`).toBeLessThanOrEqual(200)
    }
  }
})
