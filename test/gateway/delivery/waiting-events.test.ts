import { expect, onTestFinished, test } from 'vitest'
import type { HearthEvent } from '../../../src/events/events.ts'
import { WaitingEvents } from '../../../src/gateway/delivery/waiting-events.ts'
import { listen, logIn, resume } from '../../support/gateway.ts'
import { untilNoted } from '../../support/presences.ts'
import { statementsOf } from '../../support/statements.ts'
import { call, house, oneToOne, role, user } from '../../support/world.ts'

// The test holds up deliveries, so it has an app of its own.
const app = await listen({ joinEventsForMs: 600_000 })

/** Lets all deliveries of the app wait until the returned function is called. */
function holdDeliveries(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  void app.gateway.context.deliveries(() => promise)
  onTestFinished(() => resolve())
  return resolve
}

async function scene() {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const onBen = await logIn(app, ben)
  await untilNoted(ben)
  onBen.takeAll()
  return { ann, ben, den, onBen }
}

test('equal changes that wait are sent once, in their last form and at the place of the last', async () => {
  const { ann, den, onBen } = await scene()
  const baker = await role(den)
  const path = `/houses/${den.id}`
  const release = holdDeliveries()
  for (const name of ['one', 'two', 'three']) {
    for (const each of [path, `${path}/roles/${baker}`, `/rooms/${den.room_id}`, '/users/@me'])
      expect((await call(ann, 'PATCH', each, { name: `${each.length} ${name}` })).status).toBe(200)
    await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: name })
  }
  release()
  const names = ['HOUSE_UPDATE', 'ROLE_UPDATE', 'ROOM_UPDATE', 'HOUSE_MEMBER_UPDATE']
  const last = await onBen.next('HOUSE_MEMBER_UPDATE')
  await onBen.until(() => onBen.events.at(-1)!.d.content === 'three', 'the last message')
  const received = onBen.events.slice(onBen.events.findIndex((frame) => frame.d.content === 'one'))
  expect(received.map((frame) => frame.e)).toEqual([
    'MESSAGE_CREATE',
    'MESSAGE_CREATE',
    ...names,
    'MESSAGE_CREATE',
  ])
  for (const frame of received.filter(({ e }) => e !== 'MESSAGE_CREATE' && e !== 'HOUSE_MEMBER_UPDATE'))
    expect(frame.d.name).toMatch(/ three$/)
  expect(last.d.user.name).toMatch(/ three$/)
  const seqs = received.map((frame) => frame.seq!)
  expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))
})

test('who resumes from between equal changes receives what stands for them', async () => {
  const { ann, ben, den, onBen } = await scene()
  const release = holdDeliveries()
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'one' })
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'between' })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'two' })
  release()
  const between = await onBen.next('MESSAGE_CREATE')
  await onBen.next('HOUSE_UPDATE')
  const again = resume(app, ben, onBen.events[0]!.d.session_id, between.seq!)
  expect((await again.next('HOUSE_UPDATE')).d.name).toBe('two')
  await again.next('RESUMED')
})

test.each([
  { type: 'message_created', room_id: '2', house_id: '1', message_id: '3' },
  { type: 'message_updated', room_id: '2', house_id: '1', message_id: '3' },
  { type: 'typing_started', room_id: '2', house_id: '1', author_id: '3', timestamp: 4 },
  { type: 'room_deleted', room_id: '2', house_id: '1' },
] as const)('no change of what members can read moves past $type', (event) => {
  const change = () => ({ type: 'visibility_changed', house_id: '1', user_ids: null }) as const
  const sentWith = (between: HearthEvent) => {
    const waiting = new WaitingEvents(1_000)
    const turns = [change(), between, change()].map((one, position) => waiting.add(one, position))
    return turns.map((isSent) => isSent())
  }
  expect(sentWith(event)).toEqual([true, true, true])
  expect(sentWith({ ...event, house_id: '5' })).toEqual([false, true, true])
  expect(sentWith({ type: 'entities_updated', house_id: '1' })).toEqual([false, true, true])
})

test('a message waits for no delivery, and a join for its HOUSE_JOIN', async () => {
  const { ann, ben, den } = await scene()
  const release = holdDeliveries()
  const path = `/rooms/${den.room_id}/messages`
  expect((await call(ann, 'POST', path, { content: 'now' })).status).toBe(200)
  let isAnswered = false
  const creating = call(ben, 'POST', '/houses', { name: 'New' }).then(() => {
    isAnswered = true
  })
  await call(ann, 'POST', path, { content: 'later' })
  expect(isAnswered).toBe(false)
  release()
  await creating
})

test('one of equal changes is sent each second, however many come', () => {
  let now = 0
  const waiting = new WaitingEvents(1_000, () => now)
  const event = () => ({ type: 'house_updated', house_id: '1' }) as const
  const turns = [1, 2, 3].map((position) => waiting.add(event(), position))
  expect(turns.map((isSent) => isSent())).toEqual([false, false, true])
  expect(waiting.joined).toBe(2)
  const later = [4, 5, 6].map((position) => waiting.add(event(), position))
  now = 1_000
  expect(later.map((isSent) => isSent())).toEqual([true, false, true])
})

test('an event that the log does not have is always sent', () => {
  const waiting = new WaitingEvents(1_000)
  const event = { type: 'house_updated', house_id: '1' } as const
  const turns = [undefined, undefined, 1].map((position) => waiting.add({ ...event }, position))
  expect(turns.map((isSent) => isSent())).toEqual([true, true, true])
})

test('what relationships and typing show is read before their turn', async () => {
  const [ann, ben] = [await user(), await user()]
  const room = await oneToOne(ann, ben)
  const onBen = await logIn(app, ben)
  await untilNoted(ben)
  await expect.poll(() => app.gateway.registry.sessionsInRoom(room)).toHaveLength(1)
  const release = holdDeliveries()
  await call(ann, 'POST', '/relationships/@me/friend-requests', { user_id: ben.id })
  expect((await call(ann, 'POST', `/rooms/${room}/typing`)).status).toBe(200)
  await call(ann, 'GET', '/users/@me')
  const late = await statementsOf(async () => {
    release()
    for (const name of ['RELATIONSHIP_UPDATE', 'TYPING_START']) await onBen.next(name)
  })
  expect(late).toEqual([])
})
