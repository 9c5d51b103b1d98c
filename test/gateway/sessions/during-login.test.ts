import { type KyselyPlugin, sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { HearthEvent } from '../../../src/events/events.ts'
import { Client, expectExact, listen, logged, logIn, pauseLogins, resume } from '../../support/gateway.ts'
import { otherApp } from '../../support/other-app.ts'
import { bus, call, db, friends, house, oneToOne, type Person, user } from '../../support/world.ts'

const app = await listen()

/** Logs a user in up to the INIT_STATE; `goOn` lets the HOUSE_JOINs follow. */
async function beginLogin(person: Person) {
  const goOn = pauseLogins(app, person)
  const client = new Client(app)
  client.send({ op: 2, d: { token: person.token } })
  const init = await client.next('INIT_STATE')
  return { client, init, goOn }
}

test('sends events of the time of a login after the HOUSE_JOINs, once and in order', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { client, goOn } = await beginLogin(ben)
  const sent: string[] = []
  for (let count = 0; count < 10; count++) {
    const answer = await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: `m${count}` })
    sent.push(answer.body.data.id)
  }
  goOn()
  await client.next('HOUSE_JOIN')
  const received: string[] = []
  for (let count = 0; count < 10; count++) received.push((await client.next('MESSAGE_CREATE')).d.id)
  expect(received).toEqual(sent)
})

test('a login waits before each HOUSE_JOIN until the socket has drained', async () => {
  const ben = await user()
  for (let count = 0; count < 3; count++) await house({ owner: ben })
  const { client, goOn } = await beginLogin(ben)
  const waited = vi.spyOn(app.gateway.registry.sessionsOfUser(ben.id)[0]!.connection!, 'drained')
  goOn()
  for (let count = 0; count < 3; count++) await client.next('HOUSE_JOIN')
  expect(waited.mock.calls.length).toBeGreaterThanOrEqual(3)
})

test('a login that breaks before the HOUSE_JOINs leaves no session behind', async () => {
  const ben = await user()
  await house({ owner: ben })
  const { client } = await beginLogin(ben)
  await client.cut()
  await expect.poll(() => app.gateway.registry.sessionsOfUser(ben.id)).toEqual([])
})

test('a client that breaks off before authentication leaves no session, and can resume', async () => {
  const [ann, ben] = [await user(), await user()]
  // An app without other connections.
  const app = await listen({ houseJoinDelayMs: 1 })
  const { registry } = app.gateway
  const kept = await logIn(app, ben)
  const [session_id, seq] = [kept.events[0]!.d.session_id, kept.events.at(-1)!.seq!]
  await kept.cut()
  await expect.poll(() => registry.sessions.size).toBe(0)
  const last = await db.transaction().execute(async (trx) => {
    await sql`lock table sessions`.execute(trx)
    const loggingIn = new Client(app)
    loggingIn.send({ op: 2, d: { token: ann.token } })
    const resuming = resume(app, ben, session_id, seq)
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
  expect(registry.sessions.size).toBe(1)
  await resume(app, ben, session_id, seq).next('RESUMED')
})

test('refuses a token that ends at another process while its login waits', async () => {
  const [ann, ben] = [await user(), await user()]
  const { gateway } = app
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  for (let count = 0; count < 16; count++) void gateway.context.loginReads(`other ${count}`, () => isReleased)
  const [client, other] = [new Client(app), new Client(app)]
  client.send({ op: 2, d: { token: ben.token } })
  other.send({ op: 2, d: { token: ann.token } })
  await expect.poll(() => gateway.registry.sessionsOfUser(ben.id).length).toBe(1)
  await db.deleteFrom('sessions').where('id', '=', ben.session_id).execute()
  release()
  expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  await logged(other)
})

test('sends events of houses and private rooms that were entered during the login', async () => {
  const [ann, ben] = [await user(), await user()]
  await house({ owner: ben })
  const den = await house({ owner: ann })
  const { client, goOn } = await beginLogin(ben)
  const pair = (await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })).body.data
  await call(ann, 'POST', `/rooms/${pair.id}/messages`, { content: 'in the pair' })
  const joined = bus.publish([await joining(den.id, ben)])
  const sent = call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'in the house' })
  goOn()
  await Promise.all([joined, sent])
  await client.next('HOUSE_JOIN')
  expect((await client.next('ROOM_CREATE')).d.id).toBe(pair.id)
  expect((await client.next('MESSAGE_CREATE')).d.content).toBe('in the pair')
  expect((await client.next('HOUSE_JOIN')).d.id).toBe(den.id)
  expect((await client.next('MESSAGE_CREATE')).d.content).toBe('in the house')
  expect(client.passed).toEqual([])
})

test('sends who left a house or group during the login', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  await friends(ann, ben)
  await friends(ann, cat)
  const recipients = { recipients: [ben.id, cat.id] }
  const group = (await call(ann, 'POST', '/users/@me/rooms', recipients)).body.data
  const { client, goOn } = await beginLogin(ben)
  await call(cat, 'DELETE', `/users/@me/houses/${den.id}`)
  await call(cat, 'DELETE', `/users/@me/rooms/${group.id}`)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'in the house' })
  goOn()
  await client.next('HOUSE_JOIN')
  expect((await client.next('HOUSE_MEMBER_LEAVE')).d.user_id).toBe(cat.id)
  expect((await client.next('ROOM_UPDATE')).d.id).toBe(group.id)
  await client.next('MESSAGE_CREATE')
  expect(client.passed).toEqual([])
})

test('sends USER_UPDATEs of the time of a login after the HOUSE_JOINs, once', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  await house({ owner: ben })
  const { client, goOn } = await beginLogin(ben)
  await bus.publish([{ type: 'user_updated', user_id: ann.id, only_self: false }])
  await bus.publish([{ type: 'user_updated', user_id: ben.id, only_self: false }])
  goOn()
  await client.next('HOUSE_JOIN')
  await call(ben, 'POST', '/houses', { name: 'marker' })
  await client.next('HOUSE_JOIN')
  expect(client.events.map((frame) => [frame.e, frame.e === 'USER_UPDATE' && frame.d.id])).toEqual([
    ['INIT_STATE', false],
    ['HOUSE_JOIN', false],
    ['USER_UPDATE', ann.id],
    ['USER_UPDATE', ben.id],
    ['HOUSE_JOIN', false],
  ])
})

test('closes a login with 1011 when a buffered event cannot be sent', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const pair = await oneToOne(ann, ben)
  const { client, goOn } = await beginLogin(ann)
  // The database refuses what is no id, as a bug would make it do.
  await bus.publish([{ type: 'member_updated', house_id: den.id, user_id: 'nonsense' }])
  goOn()
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  expect(app.gateway.registry.sessionsInRoom(pair)).toEqual([])
})

test('a login closed before its HOUSE_JOINs cannot be resumed', async () => {
  const ann = await user()
  await house({ owner: ann })
  const { client, init, goOn } = await beginLogin(ann)
  const { session_id } = init.d
  const session = app.gateway.registry.sessions.get(session_id)!
  client.socket.pause()
  session.connection.close('slow_consumer')
  client.socket.resume()
  expect(await client.end()).toEqual({ code: 4008, reason: 'slow_consumer' })
  goOn()
  expect(await resume(app, ann, session_id, 1).end()).toEqual({ code: 4009, reason: 'cannot_resume' })
})

test('closes a login with 4008 when too many events are buffered', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { client, init, goOn } = await beginLogin(ann)
  const { session_id } = init.d
  const [session] = app.gateway.registry.sessionsOfUser(ann.id)
  const event = { type: 'settings_updated', user_id: ann.id } as const
  const pending = { event, position: undefined, sendTo: async () => {} }
  for (let count = 0; count < 20_000; count += 1) session!.buffer(pending)
  expect(client.closed).toBeUndefined()
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'one too many' })
  expect(await client.end()).toEqual({ code: 4008, reason: 'slow_consumer' })
  goOn()
  const again = resume(app, ann, session_id, 1)
  expect(await again.end()).toEqual({ code: 4009, reason: 'cannot_resume' })
})

test('events during a login count as buffered until they are sent', async () => {
  const ann = await user()
  const { client, goOn } = await beginLogin(ann)
  const [session] = app.gateway.registry.sessionsOfUser(ann.id)
  const before = session!.connection.countBuffered()
  const event = { type: 'settings_updated', user_id: ann.id } as const
  for (let count = 0; count < 100; count += 1)
    session!.buffer({ event, position: undefined, sendTo: async () => {} })
  expect(session!.connection.countBuffered() - before).toBe(100 * 512)
  goOn()
  await expect.poll(() => session!.connection.countBuffered()).toBe(0)
  expect(client.closed).toBeUndefined()
})

test('buffers no events of the houses of others', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const other = await house({ owner: await user() })
  const { client, goOn } = await beginLogin(ann)
  const event: HearthEvent = { type: 'entities_updated', house_id: other.id }
  await bus.publish(Array<HearthEvent>(20_001).fill(event))
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'own' })
  goOn()
  await client.next('HOUSE_JOIN')
  expect((await client.next('MESSAGE_CREATE')).d.content).toBe('own')
})

test('answers a join although a login of the joiner breaks off', async () => {
  const [ann, ben] = [await user(), await user()]
  await house({ owner: ben })
  const den = await house({ owner: ann })
  const { client } = await beginLogin(ben)
  const joined = bus.publish([await joining(den.id, ben)])
  await client.cut()
  await joined
  expect(client.events.map((frame) => frame.e)).toEqual(['INIT_STATE'])
})

test('sends HOUSE_JOIN and then HOUSE_LEAVE of a house left during the login', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { client, init, goOn } = await beginLogin(ben)
  await db.deleteFrom('members').where('house_id', '=', den.id).where('user_id', '=', ben.id).execute()
  const member = init.d.house_memberships[den.id]
  await bus.publish([{ type: 'member_left', house_id: den.id, user_id: ben.id, member }])
  goOn()
  const join = await client.next('HOUSE_JOIN')
  expectExact(join)
  expect(join.d.members.map((one: { id: string }) => one.id)).toContain(ben.id)
  expect((await client.next('HOUSE_LEAVE')).d).toEqual({ id: den.id, house_id: den.id })
})

test('sends HOUSE_JOIN and then HOUSE_DOWN of a house deleted during the login', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { client, init, goOn } = await beginLogin(ben)
  expect(init.d.house_ids).toEqual([den.id])
  expect((await call(ann, 'DELETE', `/houses/${den.id}`)).status).toBe(204)
  goOn()
  const join = await client.next('HOUSE_JOIN')
  expectExact(join)
  expect([join.d.id, join.d.members[0].id]).toEqual([den.id, ben.id])
  expect((await client.next('HOUSE_DOWN')).d).toEqual({ unavailable: false, house_id: den.id })
})

test('omits a house that is deleted while the state is read', async () => {
  const ann = await user()
  const [going, staying] = [await house({ owner: ann }), await house({ owner: ann })]
  const isMembership = (row: object): row is { house_id: string } => 'room_count' in row
  const deleting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.some((row) => isMembership(row) && row.house_id === going.id))
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

/** Inserts a member. Returns the event. */
async function joining(house_id: string, { id: user_id }: Person): Promise<HearthEvent> {
  await db.insertInto('members').values({ house_id, user_id }).execute()
  return { type: 'member_joined', house_id, user_id }
}
