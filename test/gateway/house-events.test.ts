import type { Server } from 'node:http'
import { expect, test } from 'vitest'
import type { Caller } from '../../src/auth/queries.ts'
import { hashTokenHex } from '../../src/auth/tokens.ts'
import type { Connection } from '../../src/gateway/connection.ts'
import type { Payload } from '../../src/gateway/frames.ts'
import { tellState } from '../../src/gateway/login.ts'
import { Session } from '../../src/gateway/session.ts'
import { Client, type Frame, listen, logIn, portOf } from '../support/gateway.ts'
import { expectSilence, heard, publish, scene } from '../support/gateway-scene.ts'
import { bus, call, db, house, houseRoom, type Person, user } from '../support/world.ts'

const app = await listen({ offlineAfterMs: 30, houseJoinDelayMs: 50 })
const readMessages = 2

test('creating a house: HOUSE_JOIN to its owner', async () => {
  const { ann, onAnn } = await scene(app)
  const answer = await call(ann, 'POST', '/houses', { name: 'New' })
  const join = await heard(onAnn, 'HOUSE_JOIN')
  expect(join.id).toBe(answer.body.data.id)
  expect(join.members.map((one: { id: string }) => one.id)).toEqual([ann.id])
})

/** From now on, what an app writes to its sockets, in order. */
function writtenBy(server: Server): string[] {
  const written: string[] = []
  server.on('connection', (socket) => {
    const { _write, _writev } = socket
    socket._write = (chunk, ...rest) => {
      written.push(String(chunk))
      _write.call(socket, chunk, ...rest)
    }
    socket._writev = (chunks, done) => {
      written.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      _writev?.call(socket, chunks, done)
    }
  })
  return written
}

const written = writtenBy(app.server)

test('HOUSE_JOIN is written to the joiner before the answer that made them join', async () => {
  const { ann, cat, den } = await scene(app)
  const robot = await user({ bot_of: ann })
  await logIn(app, robot)
  const { body } = await call(ann, 'POST', `/houses/${den.id}/invites`)
  const joins: [Person, string, object?][] = [
    [ann, '/houses', { name: 'New' }],
    [cat, `/invites/${body.data.code}`],
    [ann, `/houses/${den.id}/bots`, { bot_id: robot.id }],
  ]
  for (const [caller, path, fields] of joins) {
    written.length = 0
    const headers = { authorization: caller.token, 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(fields ?? {}) }
    const answer = await fetch(`http://127.0.0.1:${portOf(app)}${path}`, request)
    expect(answer.status, path).toBe(200)
    const place = (text: string) => written.findIndex((one) => one.includes(text))
    expect(place('"e":"HOUSE_JOIN"'), path).toBeGreaterThanOrEqual(0)
    expect(place('"e":"HOUSE_JOIN"'), path).toBeLessThan(place('HTTP/1.1 200'))
  }
})

test('a house made while a login is told its state: its HOUSE_JOIN is the last, and before the answer', async () => {
  const ann = await user()
  await house({ owner: ann })
  for (const houses of [1, 2]) {
    const client = new Client(app)
    client.send({ op: 2, d: { token: ann.token } })
    const init = await client.next('INIT_STATE')
    expect(init.d.house_ids).toHaveLength(houses)
    written.length = 0
    const headers = { authorization: ann.token, 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify({ name: 'Later' }) }
    const answer = await fetch(`http://127.0.0.1:${portOf(app)}/houses`, request)
    const { data } = (await answer.json()) as { data: { id: string } }
    const told = written.findIndex((text) => text.includes('"e":"HOUSE_JOIN"') && text.includes(data.id))
    expect(told).toBeGreaterThanOrEqual(0)
    expect(told).toBeLessThan(written.findIndex((text) => text.includes('HTTP/1.1 200')))
    const joined = client.events.slice(1).map((frame) => [frame.e, frame.d.id])
    expect(joined).toEqual([...init.d.house_ids, data.id].map((id: string) => ['HOUSE_JOIN', id]))
    await client.close()
  }
})

test('a first house that is joined while the state is read comes no sooner after INIT_STATE than others', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ben })
  const sent: { name: string; atMs: number }[] = []
  const send = (_seq: number, { name }: Payload) => sent.push({ name, atMs: performance.now() })
  const connection = { isOpen: true, send, drained: async () => {}, flush: () => {} } as unknown as Connection
  const session = new Session({ id: ann.id, session_id: ann.session_id } as Caller, false, connection)
  app.gateway.hub.add(session)
  const loginReads = async (read: () => Promise<unknown>) => {
    const state = await read()
    await db.insertInto('members').values({ house_id: den.id, user_id: ann.id }).execute()
    void bus.publish([{ type: 'member_joined', house_id: den.id, user_id: ann.id }])
    return state
  }
  // A long one, that reading the house from the database does not take by itself.
  const pauseMs = 300
  const settings = { ...app.gateway.settings, houseJoinDelayMs: pauseMs }
  const gateway = Object.create(app.gateway, {
    loginReads: { value: loginReads },
    settings: { value: settings },
  })
  expect(await tellState(gateway, session, hashTokenHex(ann.token))).toBe(true)
  expect(sent.map(({ name }) => name)).toEqual(['INIT_STATE', 'HOUSE_JOIN'])
  expect(sent[1]!.atMs - sent[0]!.atMs).toBeGreaterThanOrEqual(pauseMs - 5)
  app.gateway.hub.remove(session)
})

test('joining by invite: HOUSE_JOIN to the joiner, HOUSE_MEMBER_JOIN to the others alone', async () => {
  const { ann, cat, den, onAnn, onBen, onCat } = await scene(app)
  const invite = await call(ann, 'POST', `/houses/${den.id}/invites`, {})
  await call(cat, 'POST', `/invites/${invite.body.data.code}`)
  expect((await heard(onCat, 'HOUSE_JOIN')).id).toBe(den.id)
  expect((await heard(onAnn, 'HOUSE_MEMBER_JOIN')).user_id).toBe(cat.id)
  expect((await heard(onBen, 'HOUSE_MEMBER_JOIN')).user_id).toBe(cat.id)
  await expectSilence(onCat, cat)
})

test('editing a house: HOUSE_UPDATE to each member as they see it', async () => {
  const { ann, ben, cat, den, onAnn, onBen, onCat } = await scene(app)
  const secret = await houseRoom(den, { default_deny: readMessages })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Burrow' })
  const forAnn = await heard(onAnn, 'HOUSE_UPDATE')
  const forBen = await heard(onBen, 'HOUSE_UPDATE')
  expect(forAnn).toMatchObject({ id: den.id, name: 'Burrow' })
  expect(forAnn.members[0].id).toBe(ann.id)
  expect(forBen.members[0].id).toBe(ben.id)
  const ids = (d: Frame['d']) => d.rooms.map((room: { id: string }) => room.id)
  expect([ids(forAnn), ids(forBen)]).toEqual([[den.room_id, secret], [den.room_id]])
  await expectSilence(onCat, cat)
})

test('leaving a house: HOUSE_LEAVE to the one gone and nothing after it, HOUSE_MEMBER_LEAVE to the rest', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene(app)
  await call(ben, 'DELETE', `/users/@me/houses/${den.id}`)
  expect(await heard(onBen, 'HOUSE_LEAVE')).toEqual({ id: den.id, house_id: den.id })
  expect((await heard(onAnn, 'HOUSE_MEMBER_LEAVE')).user_id).toBe(ben.id)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'gone?' })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Burrow' })
  await heard(onAnn, 'HOUSE_UPDATE')
  await expectSilence(onBen, ben)
})

test('deleting a house: HOUSE_DOWN to all members, and nothing of it after that', async () => {
  const { ann, ben, cat, den, onAnn, onBen, onCat } = await scene(app)
  await call(ann, 'DELETE', `/houses/${den.id}`)
  for (const client of [onAnn, onBen]) {
    expect(await heard(client, 'HOUSE_DOWN')).toEqual({ unavailable: false, house_id: den.id })
  }
  await expectSilence(onCat, cat)
  await call(ben, 'POST', '/houses', { name: 'own' })
  const own = await heard(onBen, 'HOUSE_JOIN')
  for (const house_id of [den.id, own.id]) onBen.send({ op: 7, d: { house_id, user_ids: [ben.id] } })
  expect((await heard(onBen, 'HOUSE_MEMBERS_CHUNK')).house_id).toBe(own.id)
})

test('a member changed: HOUSE_MEMBER_UPDATE to the house', async () => {
  const { ben, den, onAnn, onBen } = await scene(app)
  await publish({ type: 'member_updated', house_id: den.id, user_id: ben.id })
  for (const client of [onAnn, onBen]) {
    expect((await heard(client, 'HOUSE_MEMBER_UPDATE')).user_id).toBe(ben.id)
  }
})

test('roles: ROLE_CREATE, ROLE_UPDATE and ROLE_DELETE to the house', async () => {
  const { ann, den, onBen } = await scene(app)
  const made = await call(ann, 'POST', `/houses/${den.id}/roles`, { name: 'crew', position: 1 })
  const form = made.body.data
  expect(await heard(onBen, 'ROLE_CREATE')).toEqual(form)
  await call(ann, 'PATCH', `/houses/${den.id}/roles/${form.id}`, { name: 'team' })
  expect(await heard(onBen, 'ROLE_UPDATE')).toEqual({ ...form, name: 'team' })
  await call(ann, 'DELETE', `/houses/${den.id}/roles/${form.id}`)
  expect(await heard(onBen, 'ROLE_DELETE')).toEqual({ id: form.id, house_id: den.id })
})
