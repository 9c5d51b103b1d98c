import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { claimNodeNumber } from '../../../src/database/node-number.ts'
import { commit } from '../../../src/events/commit.ts'
import type { HearthEvent } from '../../../src/events/events.ts'
import { changePresences } from '../../../src/gateway/presence/presence-operations.ts'
import { crowd } from '../../support/crowds.ts'
import { Client, expectExact, type Frame, listen, logIn, pauseLogins, resume } from '../../support/gateway.ts'
import { expectSilence } from '../../support/gateway-scene.ts'
import { untilNoted } from '../../support/presences.ts'
import { statementsOf } from '../../support/statements.ts'
import {
  block,
  bus,
  databaseUrl,
  db,
  friends,
  house,
  oneToOne,
  type Person,
  user,
} from '../../support/world.ts'

const app = await listen({ offlineAfterMs: 20 })
/** A process without connections: the one of the test would set users offline that it does not know. */
const elsewhere = await claimNodeNumber(databaseUrl, { assign: () => {}, relaying: 'postgres' })
afterAll(elsewhere.release)

/** Somebody comes online without a connection. `delivered` settles when that is sent. */
async function comeOnline({ id }: Person): Promise<{ delivered: Promise<void> }> {
  const { events } = await changePresences(db, elsewhere.number!, { online: [id], offline: [] })
  return { delivered: bus.deliver(events) }
}

test('sends a presence once to friends, partners and houses', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  await friends(ann, ben)
  await oneToOne(ann, cat)
  const den = await house({ owner: ann, members: [dan] })
  const [onBen, onCat, onDan] = [await logIn(app, ben), await logIn(app, cat), await logIn(app, dan)]
  const onAnn = await logIn(app, ann)
  for (const client of [onBen, onCat]) {
    const frame = await client.next('PRESENCE_UPDATE')
    expectExact(frame)
    expect(frame.d).toMatchObject({ id: ann.id, presence: 'online' })
  }
  const enter = await onDan.next('HOUSE_MEMBER_ENTER')
  expectExact(enter)
  expect(enter.d).toMatchObject({ user_id: ann.id, presence: 'online' })
  const second = await logIn(app, ann)
  await second.close()
  await onAnn.close()
  expect((await onBen.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ann.id, presence: 'offline' })
  const exit = await onDan.next('HOUSE_MEMBER_EXIT')
  expectExact(exit)
  expect(exit.d).toEqual({ id: ann.id, house_id: den.id })
  expect(onBen.events.filter((frame) => frame.e === 'PRESENCE_UPDATE').length).toBe(2)
  expect(onDan.events.map((frame) => frame.e)).not.toContain('PRESENCE_UPDATE')
  expect(onAnn.events.map((frame) => frame.e)).not.toContain('HOUSE_MEMBER_ENTER')
})

test('sends no presence to a blocked partner, but to a restricted one', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  for (const person of [ben, cat]) await oneToOne(ann, person)
  await block(ann, ben)
  await block(ann, cat, 4)
  const [onBen, onCat] = [await logIn(app, ben), await logIn(app, cat)]
  await logIn(app, ann)
  expect((await onCat.next('PRESENCE_UPDATE')).d.id).toBe(ann.id)
  await expectSilence(onBen, ben)
})

test('a user goes offline after closing a connection that took over a session', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const onBen = await logIn(app, ben)
  const onAnn = await logIn(app, ann)
  const again = resume(app, ann, onAnn.events[0]!.d.session_id, onAnn.events.at(-1)!.seq!)
  await again.next('RESUMED')
  await onAnn.end()
  await again.close()
  const received = [(await onBen.next('PRESENCE_UPDATE')).d, (await onBen.next('PRESENCE_UPDATE')).d]
  expect(received.map(({ presence }) => presence)).toEqual(['online', 'offline'])
})

test('op 6 sends visible presences and their changes; a new list replaces the old', async () => {
  const [ann, ben, cat, dan, eve] = [await user(), await user(), await user(), await user(), await user()]
  const fay = await user()
  await house({ owner: ann, members: [ben, cat, dan] })
  await oneToOne(ann, fay)
  await block(cat, ann)
  const client = await logIn(app, ann)
  client.takeAll()
  client.send({ op: 6, d: { user_ids: [ben.id, cat.id, dan.id, eve.id, fay.id, '1', ben.id, ann.id] } })
  const first: Frame[] = []
  while (first.length < 3) first.push(await client.next('PRESENCE_UPDATE'))
  for (const frame of first) expectExact(frame)
  expect(first.map((frame) => frame.d.id).sort()).toEqual([ben.id, dan.id, fay.id].sort())
  await logIn(app, cat)
  await logIn(app, eve)
  await logIn(app, ben)
  expect((await client.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ben.id, presence: 'online' })
  client.send({ op: 6, d: { user_ids: [ben.id] } })
  await client.next('PRESENCE_UPDATE')
  await logIn(app, dan)
  await client.next('HOUSE_MEMBER_ENTER')
  const received = client.events.filter((frame) => frame.e === 'PRESENCE_UPDATE').map((frame) => frame.d.id)
  expect(received.length).toBe(5)
  expect(received).not.toContain(cat.id)
})

test('sends a presence once to a friend who subscribed by op 6 as well', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const onBen = await logIn(app, ben)
  onBen.send({ op: 6, d: { user_ids: [ann.id] } })
  await onBen.next('PRESENCE_UPDATE')
  await logIn(app, ann)
  await onBen.next('PRESENCE_UPDATE')
  await expectSilence(onBen, ben)
})

test('changes the presence of a crowd in few statements', async () => {
  const crowd = await Promise.all(Array.from({ length: 40 }, () => user()))
  const ann = await user()
  const den = await house({ owner: ann, members: crowd })
  for (const person of crowd) await friends(ann, person)
  const onAnn = await logIn(app, ann)
  await untilNoted(ann)
  for (const presence of ['online', 'offline'] as const) {
    const changed = { online: [], offline: [], [presence]: crowd.map(({ id }) => id) }
    const name = presence === 'online' ? 'HOUSE_MEMBER_ENTER' : 'HOUSE_MEMBER_EXIT'
    const received = () => onAnn.events.filter(({ e, d }) => e === name && d.house_id === den.id)
    const statements = await statementsOf(async () => {
      const { events } = await changePresences(db, elsewhere.number!, changed)
      void bus.deliver(events)
      await onAnn.until(() => received().length >= crowd.length, `${crowd.length} times ${name}`)
    })
    expect(statements.length).toBeLessThan(crowd.length)
  }
  expect(onAnn.events.filter((frame) => frame.e === 'PRESENCE_UPDATE')).toHaveLength(2 * crowd.length)
})

test('sends a presence to all of more friends than an event names', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  await sql`insert into friendships (user_low, user_high)
    select least(id, ${ann.id}::bigint), greatest(id, ${ann.id}::bigint) from unnest(${await crowd(1_000)}::bigint[]) as id`.execute(
    db,
  )
  const onBen = await logIn(app, ben)
  await logIn(app, ann)
  expect((await onBen.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ann.id, presence: 'online' })
})

test('sends a presence once to sessions that are logging in', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  await house({ owner: ann, members: [ben, cat, dan] })
  const there = await logIn(app, ann)
  const late = [new Client(app), new Client(app)]
  const goOn = [ben, cat].map((person) => pauseLogins(app, person))
  for (const [place, { token }] of [ben, cat].entries()) late[place]!.send({ op: 2, d: { token } })
  for (const client of late) await client.next('INIT_STATE')
  const [online, offline] = [[dan.id], [dan.id]]
  await bus.deliver((await changePresences(db, elsewhere.number!, { online, offline: [] })).events)
  await bus.deliver((await changePresences(db, elsewhere.number!, { online: [], offline })).events)
  for (const one of goOn) one()
  for (const client of [there, ...late]) {
    await client.next('HOUSE_MEMBER_EXIT')
    expect(client.events.filter((frame) => frame.d.user_id === dan.id)).toHaveLength(1)
  }
})

test('sends HOUSE_MEMBER_JOIN before HOUSE_MEMBER_ENTER of a new member', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  const onAnn = await logIn(app, ann)
  onAnn.takeAll()
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const blocked = app.gateway.context.deliveries(() => gate)
  const delivering = [(await comeOnline(ben)).delivered]
  const join: HearthEvent = { type: 'member_joined', house_id: den.id, user_id: cat.id }
  const joined = await commit(db, async () => ({ answer: null, events: [join] }))
  delivering.push(bus.deliver(joined.events))
  delivering.push((await comeOnline(cat)).delivered)
  openGate()
  await Promise.all([blocked, ...delivering])
  const heard = []
  for (const name of ['HOUSE_MEMBER_ENTER', 'HOUSE_MEMBER_JOIN', 'HOUSE_MEMBER_ENTER'])
    heard.push((await onAnn.next(name)).d.user_id)
  expect(heard).toEqual([ben.id, cat.id, cat.id])
})
