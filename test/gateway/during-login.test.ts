import { type KyselyPlugin, sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { Client, expectExact, listen, logged, logIn, resume } from '../support/gateway.ts'
import { otherApp } from '../support/other-app.ts'
import { bus, call, db, friends, house, oneToOne, type Person, user } from '../support/world.ts'

test('what happens during a login follows after the HOUSE_JOINs, once and in order', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow, {})
  client.send({ op: 2, d: { token: ben.token } })
  await client.next('INIT_STATE')
  const sent: string[] = []
  for (let count = 0; count < 10; count++) {
    const answer = await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: `m${count}` })
    sent.push(answer.body.data.id)
  }
  await client.next('HOUSE_JOIN')
  const heard: string[] = []
  for (let count = 0; count < 10; count++) heard.push((await client.next('MESSAGE_CREATE')).d.id)
  expect(heard).toEqual(sent)
})

test('a login waits before each HOUSE_JOIN until its socket has taken the others', async () => {
  const ben = await user()
  for (let count = 0; count < 3; count++) await house({ owner: ben })
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow)
  client.send({ op: 2, d: { token: ben.token } })
  await client.next('INIT_STATE')
  const waited = vi.spyOn(slow.gateway.hub.ofUser(ben.id)[0]!.connection!, 'drained')
  for (let count = 0; count < 3; count++) await client.next('HOUSE_JOIN')
  expect(waited).toHaveBeenCalledTimes(3)
})

test('a login whose connection breaks before the HOUSE_JOINs leaves no session behind', async () => {
  const ben = await user()
  await house({ owner: ben })
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow)
  client.send({ op: 2, d: { token: ben.token } })
  await client.next('INIT_STATE')
  await client.cut()
  await expect.poll(() => slow.gateway.hub.ofUser(ben.id)).toEqual([])
})

test('who breaks off before the token was looked at leaves no session behind, and keeps the one to be resumed', async () => {
  const [ann, ben] = [await user(), await user()]
  const app = await listen()
  const { hub } = app.gateway
  const kept = await logIn(app, ben)
  await kept.cut()
  await expect.poll(() => hub.detached.size).toBe(1)
  const last = await db.transaction().execute(async (trx) => {
    await sql`lock table sessions`.execute(trx)
    const loggingIn = new Client(app)
    loggingIn.send({ op: 2, d: { token: ann.token } })
    const resuming = resume(app, ben, kept.events[0]!.d.session_id, 1)
    const asking = vi.spyOn(app.gateway, 'frame')
    await expect.poll(() => asking.mock.calls.length).toBe(2)
    await loggingIn.cut()
    await resuming.cut()
    await expect.poll(() => app.gateway.connectionCount).toBe(0)
    const last = new Client(app)
    last.send({ op: 2, d: { token: ann.token } })
    return last
  })
  await logged(last)
  expect([hub.sessions.size, hub.detached.size]).toEqual([2, 1])
})

test('a token that ends at another process while a login waits for its turn is refused', async () => {
  const [ann, ben] = [await user(), await user()]
  const app = await listen()
  const { gateway } = app
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  for (let count = 0; count < 16; count++) void gateway.loginReads(() => isReleased)
  const [client, other] = [new Client(app), new Client(app)]
  client.send({ op: 2, d: { token: ben.token } })
  other.send({ op: 2, d: { token: ann.token } })
  await expect.poll(() => gateway.hub.ofUser(ben.id).length).toBe(1)
  await db.deleteFrom('sessions').where('id', '=', ben.session_id).execute()
  release()
  expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  await logged(other)
})

test('what happens during a login in a place that was entered meanwhile follows after it as well', async () => {
  const [ann, ben] = [await user(), await user()]
  await house({ owner: ben })
  const den = await house({ owner: ann })
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow, {})
  client.send({ op: 2, d: { token: ben.token } })
  await client.next('INIT_STATE')
  const pair = (await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })).body.data
  await call(ann, 'POST', `/rooms/${pair.id}/messages`, { content: 'in the pair' })
  const joined = bus.publish([await joining(den.id, ben)])
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'in the house' })
  await joined
  await client.next('HOUSE_JOIN')
  expect((await client.next('ROOM_CREATE')).d.id).toBe(pair.id)
  expect((await client.next('MESSAGE_CREATE')).d.content).toBe('in the pair')
  expect((await client.next('HOUSE_JOIN')).d.id).toBe(den.id)
  expect((await client.next('MESSAGE_CREATE')).d.content).toBe('in the house')
  expect(client.passed).toEqual([])
})

test('who else leaves a house or a group during a login is told as such', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  await friends(ann, ben)
  await friends(ann, cat)
  const recipients = { recipients: [ben.id, cat.id] }
  const group = (await call(ann, 'POST', '/users/@me/rooms', recipients)).body.data
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow)
  client.send({ op: 2, d: { token: ben.token } })
  await client.next('INIT_STATE')
  await call(cat, 'DELETE', `/users/@me/houses/${den.id}`)
  await call(cat, 'DELETE', `/users/@me/rooms/${group.id}`)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'in the house' })
  await client.next('HOUSE_JOIN')
  expect((await client.next('HOUSE_MEMBER_LEAVE')).d.user_id).toBe(cat.id)
  expect((await client.next('ROOM_UPDATE')).d.id).toBe(group.id)
  await client.next('MESSAGE_CREATE')
  expect(client.passed).toEqual([])
})

test('what friends and oneself change during a login follows after the HOUSE_JOINs, once', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  await house({ owner: ben })
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow, {})
  client.send({ op: 2, d: { token: ben.token } })
  await client.next('INIT_STATE')
  await bus.publish([{ type: 'user_updated', user_id: ann.id, only_self: false }])
  await bus.publish([{ type: 'user_updated', user_id: ben.id, only_self: false }])
  await client.next('HOUSE_JOIN')
  await call(ben, 'POST', '/houses', { name: 'witness' })
  await client.next('HOUSE_JOIN')
  expect(client.events.map((frame) => [frame.e, frame.e === 'USER_UPDATE' && frame.d.id])).toEqual([
    ['INIT_STATE', false],
    ['HOUSE_JOIN', false],
    ['USER_UPDATE', ann.id],
    ['USER_UPDATE', ben.id],
    ['HOUSE_JOIN', false],
  ])
})

test('a login to which something cannot be told that was held for it is closed 1011', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const pair = await oneToOne(ann, ben)
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow)
  client.send({ op: 2, d: { token: ann.token } })
  await client.next('INIT_STATE')
  // No id: the database refuses it, as a bug would have it do.
  await bus.publish([{ type: 'member_updated', house_id: den.id, user_id: 'nonsense' }])
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  expect(slow.gateway.hub.inRoom(pair)).toEqual([])
})

test('a login that the server closes before its HOUSE_JOINs cannot be resumed', async () => {
  const ann = await user()
  await house({ owner: ann })
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow)
  client.send({ op: 2, d: { token: ann.token } })
  const { session_id } = (await client.next('INIT_STATE')).d
  const session = slow.gateway.hub.sessions.get(session_id)!
  client.socket.pause()
  session.connection!.close('slow_consumer')
  await expect.poll(() => session.held).toBe(null)
  client.socket.resume()
  expect(await client.end()).toEqual({ code: 4008, reason: 'slow_consumer' })
  expect(await resume(slow, ann, session_id, 1).end()).toEqual({ code: 4009, reason: 'cannot_resume' })
})

test('a login during which too much happens is closed 4008, and cannot be resumed', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const slow = await listen({ houseJoinDelayMs: 2_000 })
  const client = new Client(slow, {})
  client.send({ op: 2, d: { token: ann.token } })
  const { session_id } = (await client.next('INIT_STATE')).d
  const [session] = slow.gateway.hub.ofUser(ann.id)
  for (let count = 0; count < 20_000; count += 1) session!.hold(() => {})
  expect(client.closed).toBeUndefined()
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'one too many' })
  expect(await client.end()).toEqual({ code: 4008, reason: 'slow_consumer' })
  const again = resume(slow, ann, session_id, 1)
  expect(await again.end()).toEqual({ code: 4009, reason: 'cannot_resume' })
})

test('who joins a house while a login of theirs breaks off is answered all the same', async () => {
  const [ann, ben] = [await user(), await user()]
  await house({ owner: ben })
  const den = await house({ owner: ann })
  const slow = await listen({ houseJoinDelayMs: 2_000 })
  const client = new Client(slow, {})
  client.send({ op: 2, d: { token: ben.token } })
  await client.next('INIT_STATE')
  const joined = bus.publish([await joining(den.id, ben)])
  await client.cut()
  await joined
  expect(client.events.map((frame) => frame.e)).toEqual(['INIT_STATE'])
})

test('a house left during the login still gets its HOUSE_JOIN, and then what ends it', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const slow = await listen({ houseJoinDelayMs: 300 })
  const client = new Client(slow, {})
  client.send({ op: 2, d: { token: ben.token } })
  const init = await client.next('INIT_STATE')
  await db.deleteFrom('members').where('house_id', '=', den.id).where('user_id', '=', ben.id).execute()
  const member = init.d.house_memberships[den.id]
  await bus.publish([{ type: 'member_left', house_id: den.id, user_id: ben.id, member }])
  const join = await client.next('HOUSE_JOIN')
  expectExact(join)
  expect(join.d.members.map((one: { id: string }) => one.id)).toContain(ben.id)
  expect((await client.next('HOUSE_LEAVE')).d).toEqual({ id: den.id, house_id: den.id })
})

test('a house deleted during the login still gets its HOUSE_JOIN, and then HOUSE_DOWN', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const slow = await listen({ houseJoinDelayMs: 500 })
  const client = new Client(slow)
  client.send({ op: 2, d: { token: ben.token } })
  expect((await client.next('INIT_STATE')).d.house_ids).toEqual([den.id])
  expect((await call(ann, 'DELETE', `/houses/${den.id}`)).status).toBe(204)
  const join = await client.next('HOUSE_JOIN')
  expectExact(join)
  expect([join.d.id, join.d.members[0].id]).toEqual([den.id, ben.id])
  expect((await client.next('HOUSE_DOWN')).d).toEqual({ unavailable: false, house_id: den.id })
})

test('a house that goes while the state is read is left out of it, and has no HOUSE_JOIN', async () => {
  const ann = await user()
  const [going, staying] = [await house({ owner: ann }), await house({ owner: ann })]
  const isListOfHouses = (row: object) => Object.keys(row).join() === 'house_id'
  const deleting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.some((row) => isListOfHouses(row) && row.house_id === going.id))
        await db.deleteFrom('houses').where('id', '=', going.id).execute()
      return result
    },
  }
  const { app: other } = await otherApp({}, { db: db.withPlugin(deleting) })
  await other.listen({ host: '127.0.0.1', port: 0 })
  const client = await logIn(other, ann)
  expect(client.events.map((frame) => frame.e)).toEqual(['INIT_STATE', 'HOUSE_JOIN'])
  const [init, join] = client.events.map((frame) => frame.d)
  expect([init.house_ids, Object.keys(init.house_memberships)]).toEqual([[staying.id], [staying.id]])
  expect(join.id).toBe(staying.id)
  await call(ann, 'POST', '/houses', { name: 'own' })
  await client.next('HOUSE_JOIN')
  expect(client.passed).toEqual([])
})

/** Makes somebody a member, and what tells of it. */
async function joining(house_id: string, { id: user_id }: Person): Promise<HearthEvent> {
  await db.insertInto('members').values({ house_id, user_id }).execute()
  return { type: 'member_joined', house_id, user_id }
}
