import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { hourMs, oldMessage } from '../../support/old-messages.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { deletionsIn, idsOf, sweep } from '../../support/retention.ts'
import { explain } from '../../support/statements.ts'
import {
  call,
  databaseUrl,
  db,
  group,
  house,
  houseRoom,
  oneToOne,
  type Person,
  store,
  user,
} from '../../support/world.ts'

type Sent = { text: string; values: unknown[] }

// What is sent to the database from before the app starts.
const started = vi.spyOn(pg.Client.prototype, 'query')
await ownWorld()

/** Where the app has asked for houses with an age. */
const firstRound = () =>
  started.mock.calls.findIndex(([config], place) => {
    const { database } = started.mock.contexts[place] as pg.Client
    return databaseUrl.includes(database!) && /house_retention/.test((config as unknown as Sent).text)
  })
// It finds none, and asks again minutes later: only the sweeps of the tests delete.
await vi.waitUntil(() => firstRound() >= 0, 60_000)
await started.mock.results[firstRound()]!.value
started.mockRestore()

const hourSeconds = 3_600

/** A house with a message each of so many hours ago, whose messages stay for `age` hours. */
async function agingHouse(owner: Person, age: number | null, ...hours: number[]) {
  const den = await house({ owner })
  if (age !== null) {
    const { status } = await call(owner, 'PUT', `/houses/${den.id}/retention`, { max_age: age * hourSeconds })
    expect(status).toBe(200)
  }
  const ids: string[] = []
  for (const each of hours) ids.push(await oldMessage(den.room_id, owner, each))
  return { ...den, ids }
}

test('a server without a limit deletes what is too old for its house, and nothing else', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await agingHouse(ann, 24, 25, 23)
  const second = await houseRoom(den)
  const key = 'b'.repeat(32)
  await store.write(`attachments/${second}/${key}`, Buffer.from('x'))
  const withFile = await oldMessage(second, ann, 1_000, { key })
  const patient = await agingHouse(ann, 48, 49, 25)
  const others = [(await agingHouse(ann, null)).room_id, await group(ann, bob), await oneToOne(ann, bob)]
  const kept: string[] = []
  for (const room of others) kept.push(await oldMessage(room, ann, 100_000))
  const deletions = deletionsIn(den.room_id, second, patient.room_id, ...others)
  const running = await otherApp({})
  await expect.poll(() => deletions.length).toBe(3)
  await expect.poll(() => store.find(`attachments/${second}/${key}`)).toBeUndefined()
  await running.app.close()
  const deleted = (house_id: string, room_id: string, message_id: string | undefined) => {
    return { type: 'message_deleted', house_id, room_id, message_id }
  }
  expect(new Set(deletions)).toEqual(
    new Set([
      deleted(den.id, den.room_id, den.ids[0]),
      deleted(den.id, second, withFile),
      deleted(patient.id, patient.room_id, patient.ids[0]),
    ]),
  )
  expect(await idsOf(den.room_id)).toEqual([den.ids[1]])
  expect(await idsOf(second)).toEqual([])
  expect(await idsOf(patient.room_id)).toEqual([patient.ids[1]])
  for (const [index, room] of others.entries()) expect(await idsOf(room)).toEqual([kept[index]])
})

test('on a server with a limit the shorter of both holds', async () => {
  const ann = await user()
  const shorter = await agingHouse(ann, 24, 25, 23)
  const longer = await agingHouse(ann, 1_000, 49, 47)
  const without = await agingHouse(ann, null, 49, 47)
  await sweep(48 * hourMs)
  for (const den of [shorter, longer, without]) expect(await idsOf(den.room_id)).toEqual([den.ids[1]])
})

test('what belongs to a message goes with it: pin, reactions, mention, and its count', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await agingHouse(ann, 24, 25)
  const [message_id] = den.ids as [string]
  await db.insertInto('members').values({ house_id: den.id, user_id: bob.id }).execute()
  const { room_id } = den
  await db
    .insertInto('mentions')
    .values({ user_id: bob.id, message_id, room_id, author_id: ann.id })
    .execute()
  const at = `/rooms/${room_id}`
  expect((await call(ann, 'PUT', `${at}/pins/${message_id}`)).status).toBe(200)
  const emoji = encodeURIComponent('👍')
  expect((await call(bob, 'PUT', `${at}/messages/${message_id}/reactions/${emoji}`)).status).toBe(200)
  const seen = async () => ({
    pins: (await call(bob, 'GET', `${at}/pins`)).body.data.length,
    mentions: (await call(bob, 'GET', '/streams/@me/mentions')).body.data.length,
    count: (await call(bob, 'GET', '/users/@me/read-state')).body.data[room_id]?.mention_count ?? 0,
    reactions: (await db.selectFrom('reactions').select('emoji').where('room_id', '=', room_id).execute())
      .length,
  })
  expect(await seen()).toEqual({ pins: 1, mentions: 1, count: 1, reactions: 1 })
  await sweep()
  expect(await seen()).toEqual({ pins: 0, mentions: 0, count: 0, reactions: 0 })
})

test('an age that the owner has removed deletes nothing more', async () => {
  const ann = await user()
  const den = await agingHouse(ann, 24, 25)
  await call(ann, 'PUT', `/houses/${den.id}/retention`, { max_age: null })
  await sweep()
  expect(await idsOf(den.room_id)).toEqual(den.ids)
})

test('a sweep comes past houses without rooms, and through more of them than a step takes', async () => {
  const ann = await user()
  const dens: Awaited<ReturnType<typeof agingHouse>>[] = []
  for (let n = 0; n < 22; n += 1) dens.push(await agingHouse(ann, 24, 25))
  const emptied = dens.slice(0, 20).map(({ room_id }) => room_id)
  await db.deleteFrom('rooms').where('id', 'in', emptied).execute()
  await sweep()
  for (const { room_id } of dens.slice(20)) expect(await idsOf(room_id)).toEqual([])
})

test('two processes at once delete each message once, in steps of 200', async () => {
  const ann = await user()
  await sweep()
  const den = await agingHouse(ann, 24)
  await db.transaction().execute(async (trx) => {
    const first = BigInt(await oldMessage(den.room_id, ann, 25))
    const row = { room_id: den.room_id, house_id: den.id, author_id: ann.id, device_id: ann.session_id }
    const ids = Array.from({ length: 449 }, (_, n) => String(first + BigInt(n + 1)))
    await trx
      .insertInto('messages')
      .values(ids.map((id) => ({ ...row, id, content: 'old' })))
      .execute()
  })
  const counts = (await Promise.all([sweep(), sweep()])).flat()
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(450)
  expect(Math.max(...counts)).toBe(200)
  expect(await idsOf(den.room_id)).toEqual([])
})

/** What a sweep asks the database, besides the deletion. */
async function statementsOfSweep(): Promise<Sent[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  await sweep()
  const sent = spy.mock.calls.map(([config]) => config as unknown as Sent)
  spy.mockRestore()
  return sent.filter(({ text }) => /house_retention|looked/.test(text))
}

test('while no house has an age, a round of a server without a limit is one statement', async () => {
  await db.deleteFrom('house_retention').execute()
  expect(await statementsOfSweep()).toHaveLength(1)
})

test('a round of a server without a limit reads only the rooms and messages of houses with an age', async () => {
  await db.deleteFrom('house_retention').execute()
  const ann = await user()
  const many = sql`generate_series(1, 5000) as n`
  await sql`insert into houses (id, name, owner_id, default_permissions) select n, 'Den', ${ann.id}, 0 from ${many}`.execute(
    db,
  )
  await sql`insert into rooms (id, type, house_id, name, position) select n, 0, n, 'room', 0 from ${many}`.execute(
    db,
  )
  await sql`insert into messages (id, room_id, house_id, author_id, device_id, content)
    select n, n, n, ${ann.id}, 1, 'old' from ${many}`.execute(db)
  await sql`analyze houses, rooms, messages`.execute(db)
  await agingHouse(ann, 24, 23)
  const statements = await statementsOfSweep()
  const plans = await Promise.all(statements.map((statement) => explain(databaseUrl, statement)))
  const read = plans.flat().filter((step) => /^(?:rooms|messages)$/.test(step['Relation Name'] ?? ''))
  expect(read.length).toBeGreaterThan(1)
  for (const step of read) expect(step['Actual Rows']).toBeLessThanOrEqual(1)
})
