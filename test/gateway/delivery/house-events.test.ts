import type { Server } from 'node:http'
import { expect, test } from 'vitest'
import { Client, type Frame, listen, logIn, portOf } from '../../support/gateway.ts'
import { expectSilence, nextExact, publish, scene } from '../../support/gateway-scene.ts'
import { call, house, houseRoom, type Person, user } from '../../support/world.ts'

const app = await listen({ houseJoinDelayMs: 50 })
const readMessages = 2

test('creating a house sends HOUSE_JOIN to the owner', async () => {
  const { ann, onAnn } = await scene(app)
  const answer = await call(ann, 'POST', '/houses', { name: 'New' })
  const join = await nextExact(onAnn, 'HOUSE_JOIN')
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

test('writes HOUSE_JOIN before the answer to the request', async () => {
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

test('sends HOUSE_JOIN of a house created during a login last, before the answer', async () => {
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
    const received = written.findIndex((text) => text.includes('"e":"HOUSE_JOIN"') && text.includes(data.id))
    expect(received).toBeGreaterThanOrEqual(0)
    expect(received).toBeLessThan(written.findIndex((text) => text.includes('HTTP/1.1 200')))
    const joined = client.events.slice(1).map((frame) => [frame.e, frame.d.id])
    expect(joined).toEqual([...init.d.house_ids, data.id].map((id: string) => ['HOUSE_JOIN', id]))
    await client.close()
  }
})

test('a join sends HOUSE_JOIN to the joiner and HOUSE_MEMBER_JOIN to the others', async () => {
  const { ann, cat, den, onAnn, onBen, onCat } = await scene(app)
  const invite = await call(ann, 'POST', `/houses/${den.id}/invites`, {})
  await call(cat, 'POST', `/invites/${invite.body.data.code}`)
  expect((await nextExact(onCat, 'HOUSE_JOIN')).id).toBe(den.id)
  expect((await nextExact(onAnn, 'HOUSE_MEMBER_JOIN')).user_id).toBe(cat.id)
  expect((await nextExact(onBen, 'HOUSE_MEMBER_JOIN')).user_id).toBe(cat.id)
  await expectSilence(onCat, cat)
})

test('editing a house sends each member HOUSE_UPDATE with the rooms they can read', async () => {
  const { ann, ben, cat, den, onAnn, onBen, onCat } = await scene(app)
  const secret = await houseRoom(den, { default_deny: readMessages })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Burrow' })
  const forAnn = await nextExact(onAnn, 'HOUSE_UPDATE')
  const forBen = await nextExact(onBen, 'HOUSE_UPDATE')
  expect(forAnn).toMatchObject({ id: den.id, name: 'Burrow' })
  expect(forAnn.members[0].id).toBe(ann.id)
  expect(forBen.members[0].id).toBe(ben.id)
  const ids = (d: Frame['d']) => d.rooms.map((room: { id: string }) => room.id)
  expect([ids(forAnn), ids(forBen)]).toEqual([[den.room_id, secret], [den.room_id]])
  await expectSilence(onCat, cat)
})

test('leaving a house sends HOUSE_LEAVE and nothing after it; the others get HOUSE_MEMBER_LEAVE', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene(app)
  await call(ben, 'DELETE', `/users/@me/houses/${den.id}`)
  expect(await nextExact(onBen, 'HOUSE_LEAVE')).toEqual({ id: den.id, house_id: den.id })
  expect((await nextExact(onAnn, 'HOUSE_MEMBER_LEAVE')).user_id).toBe(ben.id)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'gone?' })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Burrow' })
  await nextExact(onAnn, 'HOUSE_UPDATE')
  await expectSilence(onBen, ben)
})

test('deleting a house sends HOUSE_DOWN and nothing after it', async () => {
  const { ann, ben, cat, den, onAnn, onBen, onCat } = await scene(app)
  await call(ann, 'DELETE', `/houses/${den.id}`)
  for (const client of [onAnn, onBen]) {
    expect(await nextExact(client, 'HOUSE_DOWN')).toEqual({ unavailable: false, house_id: den.id })
  }
  await expectSilence(onCat, cat)
  await call(ben, 'POST', '/houses', { name: 'own' })
  const own = await nextExact(onBen, 'HOUSE_JOIN')
  for (const house_id of [den.id, own.id]) onBen.send({ op: 7, d: { house_id, user_ids: [ben.id] } })
  expect((await nextExact(onBen, 'HOUSE_MEMBERS_CHUNK')).house_id).toBe(own.id)
})

test('changing a member sends HOUSE_MEMBER_UPDATE to the house', async () => {
  const { ben, den, onAnn, onBen } = await scene(app)
  await publish({ type: 'member_updated', house_id: den.id, user_id: ben.id })
  for (const client of [onAnn, onBen]) {
    expect((await nextExact(client, 'HOUSE_MEMBER_UPDATE')).user_id).toBe(ben.id)
  }
})

test('changing roles sends ROLE_CREATE, ROLE_UPDATE and ROLE_DELETE to the house', async () => {
  const { ann, den, onBen } = await scene(app)
  const made = await call(ann, 'POST', `/houses/${den.id}/roles`, { name: 'crew', position: 1 })
  const form = made.body.data
  expect(await nextExact(onBen, 'ROLE_CREATE')).toEqual(form)
  await call(ann, 'PATCH', `/houses/${den.id}/roles/${form.id}`, { name: 'team' })
  expect(await nextExact(onBen, 'ROLE_UPDATE')).toEqual({ ...form, name: 'team' })
  await call(ann, 'DELETE', `/houses/${den.id}/roles/${form.id}`)
  expect(await nextExact(onBen, 'ROLE_DELETE')).toEqual({ id: form.id, house_id: den.id })
})
