import { expect, test } from 'vitest'
import { Client, expectExact, type Frame, listen, logIn, resume } from '../support/gateway.ts'
import { expectSilence } from '../support/gateway-scene.ts'
import { statementsOf } from '../support/statements.ts'
import { block, bus, friends, house, oneToOne, user } from '../support/world.ts'

const app = await listen({ offlineAfterMs: 500 })

test('coming online and going offline is told to friends, partners and houses, once', async () => {
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

test('a partner whom one has blocked is not told, one who is restricted is', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  for (const person of [ben, cat]) await oneToOne(ann, person)
  await block(ann, ben)
  await block(ann, cat, 4)
  const [onBen, onCat] = [await logIn(app, ben), await logIn(app, cat)]
  await logIn(app, ann)
  expect((await onCat.next('PRESENCE_UPDATE')).d.id).toBe(ann.id)
  await expectSilence(onBen, ben)
})

test('who comes back within the grace never went offline', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await friends(ann, ben)
  await friends(cat, ben)
  const onBen = await logIn(app, ben)
  const onAnn = await logIn(app, ann)
  await onBen.next('PRESENCE_UPDATE')
  // A login that something was held for is over, and can be resumed, when that has come.
  await bus.publish([{ type: 'user_updated', user_id: ann.id, only_self: true }])
  const { seq } = await onAnn.next('USER_UPDATE')
  const { session_id } = onAnn.events[0]!.d
  await onAnn.cut()
  const again = resume(app, ann, session_id, seq!)
  await again.next('RESUMED')
  const onCat = await logIn(app, cat)
  await onBen.next('PRESENCE_UPDATE')
  await onCat.close()
  expect((await onBen.next('PRESENCE_UPDATE')).d).toMatchObject({ id: cat.id, presence: 'offline' })
  const ofAnn = onBen.events.filter((frame) => frame.e === 'PRESENCE_UPDATE' && frame.d.id === ann.id)
  expect(ofAnn.length).toBe(1)
})

test('who closes the connection that took over from another is offline after that', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const onBen = await logIn(app, ben)
  const onAnn = await logIn(app, ann)
  const again = resume(app, ann, onAnn.events[0]!.d.session_id, 1)
  await again.next('RESUMED')
  await onAnn.end()
  await again.close()
  const told = [(await onBen.next('PRESENCE_UPDATE')).d, (await onBen.next('PRESENCE_UPDATE')).d]
  expect(told.map(({ presence }) => presence)).toEqual(['online', 'offline'])
})

test('op 6 answers at once for those one may see, and tells their changes; a new list replaces the old', async () => {
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
  const told = client.events.filter((frame) => frame.e === 'PRESENCE_UPDATE').map((frame) => frame.d.id)
  expect(told.length).toBe(5)
  expect(told).not.toContain(cat.id)
})

test('a friend who asked for it by op 6 as well is told once', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const onBen = await logIn(app, ben)
  onBen.send({ op: 6, d: { user_ids: [ann.id] } })
  await onBen.next('PRESENCE_UPDATE')
  await logIn(app, ann)
  await onBen.next('PRESENCE_UPDATE')
  await expectSilence(onBen, ben)
})

test('a crowd that comes or goes at once is told of in a few statements', async () => {
  const crowd = await Promise.all(Array.from({ length: 40 }, () => user()))
  const ann = await user()
  const den = await house({ owner: ann, members: crowd })
  for (const person of crowd) await friends(ann, person)
  const onAnn = await logIn(app, ann)
  for (const presence of ['online', 'offline'] as const) {
    const name = presence === 'online' ? 'HOUSE_MEMBER_ENTER' : 'HOUSE_MEMBER_EXIT'
    const told = () => onAnn.events.filter(({ e, d }) => e === name && d.house_id === den.id)
    const statements = await statementsOf(async () => {
      for (const { id } of crowd) bus.setPresence(id, presence)
      await onAnn.until(() => told().length >= crowd.length, `${crowd.length} times ${name}`)
    })
    expect(statements.length).toBeLessThan(12)
  }
  expect(onAnn.events.filter((frame) => frame.e === 'PRESENCE_UPDATE')).toHaveLength(2 * crowd.length)
})

test('those who log in while somebody comes online share the event with those who are there', async () => {
  const slow = await listen({ houseJoinDelayMs: 400 })
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  await house({ owner: ann, members: [ben, cat, dan] })
  const there = await logIn(slow, ann)
  const late = [new Client(slow), new Client(slow)]
  for (const [place, { token }] of [ben, cat].entries()) late[place]!.send({ op: 2, d: { token } })
  for (const client of late) await client.next('INIT_STATE')
  await bus.publish([{ type: 'presence_changed', user_id: dan.id, presence: 'online' }])
  for (const client of [there, ...late]) {
    await client.until(() => client.events.some((frame) => frame.d.user_id === dan.id))
  }
  const kept = [ann, ben, cat].map(({ id }) => {
    return [...slow.gateway.hub.ofUser(id)[0]!.kept].find((event) => event.json.includes(dan.id))
  })
  expect(kept[0]!.keepers).toBe(3)
  expect(new Set(kept).size).toBe(1)
})

test('who joins and comes online while others come online is first told of as a member', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  for (const person of [ben, cat]) await friends(ann, person)
  const den = await house({ owner: ann, members: [ben, cat] })
  const onAnn = await logIn(app, ann)
  onAnn.takeAll()
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const held = app.gateway.lanes(den.id, () => gate)
  bus.setPresence(ben.id, 'online')
  await onAnn.next('PRESENCE_UPDATE')
  const joined = bus.publish([{ type: 'member_joined', house_id: den.id, user_id: cat.id }])
  bus.setPresence(cat.id, 'online')
  await onAnn.next('PRESENCE_UPDATE')
  openGate()
  await Promise.all([held, joined])
  const told = []
  for (const name of ['HOUSE_MEMBER_ENTER', 'HOUSE_MEMBER_JOIN', 'HOUSE_MEMBER_ENTER'])
    told.push((await onAnn.next(name)).d.user_id)
  expect(told).toEqual([ben.id, cat.id, cat.id])
})

test('who has left a house by the time that they are told to come or go there is not told of', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const onAnn = await logIn(app, ann)
  for (const presence of ['online', 'offline'] as const)
    await app.gateway.presences.add(den.id, { user_id: ben.id, presence })
  await expectSilence(onAnn, ann)
})
