import type { Server } from 'node:http'
import { expect, test } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { type Client, expectExact, type Frame, listen, logIn, portOf } from '../support/gateway.ts'
import { bus, call, db, friends, house, houseRoom, type Person, role, user } from '../support/world.ts'

const app = await listen({ offlineAfterMs: 30 })
const readMessages = 2

async function publish(...events: HearthEvent[]): Promise<void> {
  await bus.publish(events)
}

/** Waits for the event, holds it to its keys, and gives its `d`. */
async function heard(client: Client, name: string): Promise<Frame['d']> {
  const frame = await client.next(name)
  expectExact(frame)
  return frame.d
}

/** Holds that nothing came since: the witness event comes after whatever could have been on its way. */
async function expectSilence(client: Client, person: Person): Promise<void> {
  await publish({ type: 'user_updated', user_id: person.id, only_self: true })
  await client.next('USER_UPDATE')
  expect(client.passed).toEqual([])
}

/** Owner ann, member ben and stranger cat, all connected. */
async function scene() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const clients = [await logIn(app, ann), await logIn(app, ben), await logIn(app, cat)] as const
  await clients[0].next('HOUSE_MEMBER_ENTER')
  for (const client of clients) client.takeAll()
  return { ann, ben, cat, den, onAnn: clients[0], onBen: clients[1], onCat: clients[2] }
}

test('creating a house: HOUSE_JOIN to its owner', async () => {
  const { ann, onAnn } = await scene()
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

test('HOUSE_JOIN is written to the joiner before the answer that made them join', async () => {
  const written = writtenBy(app.server)
  const { ann, cat, den } = await scene()
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

test('joining by invite: HOUSE_JOIN to the joiner, HOUSE_MEMBER_JOIN to the others alone', async () => {
  const { ann, cat, den, onAnn, onBen, onCat } = await scene()
  const invite = await call(ann, 'POST', `/houses/${den.id}/invites`, {})
  await call(cat, 'POST', `/invites/${invite.body.data.code}`)
  expect((await heard(onCat, 'HOUSE_JOIN')).id).toBe(den.id)
  expect((await heard(onAnn, 'HOUSE_MEMBER_JOIN')).user_id).toBe(cat.id)
  expect((await heard(onBen, 'HOUSE_MEMBER_JOIN')).user_id).toBe(cat.id)
  await expectSilence(onCat, cat)
})

test('editing a house: HOUSE_UPDATE to each member as they see it', async () => {
  const { ann, ben, cat, den, onAnn, onBen, onCat } = await scene()
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
  const { ann, ben, den, onAnn, onBen } = await scene()
  await call(ben, 'DELETE', `/users/@me/houses/${den.id}`)
  expect(await heard(onBen, 'HOUSE_LEAVE')).toEqual({ id: den.id, house_id: den.id })
  expect((await heard(onAnn, 'HOUSE_MEMBER_LEAVE')).user_id).toBe(ben.id)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'gone?' })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Burrow' })
  await heard(onAnn, 'HOUSE_UPDATE')
  await expectSilence(onBen, ben)
})

test('deleting a house: HOUSE_DOWN to all members', async () => {
  const { ann, cat, den, onAnn, onBen, onCat } = await scene()
  await call(ann, 'DELETE', `/houses/${den.id}`)
  for (const client of [onAnn, onBen]) {
    expect(await heard(client, 'HOUSE_DOWN')).toEqual({ unavailable: false, house_id: den.id })
  }
  await expectSilence(onCat, cat)
})

test('a member changed: HOUSE_MEMBER_UPDATE to the house', async () => {
  const { ben, den, onAnn, onBen } = await scene()
  await publish({ type: 'member_updated', house_id: den.id, user_id: ben.id })
  for (const client of [onAnn, onBen]) {
    expect((await heard(client, 'HOUSE_MEMBER_UPDATE')).user_id).toBe(ben.id)
  }
})

test('roles: ROLE_CREATE, ROLE_UPDATE and ROLE_DELETE to the house', async () => {
  const { ann, den, onBen } = await scene()
  const made = await call(ann, 'POST', `/houses/${den.id}/roles`, { name: 'crew', position: 1 })
  const form = made.body.data
  expect(await heard(onBen, 'ROLE_CREATE')).toEqual(form)
  await call(ann, 'PATCH', `/houses/${den.id}/roles/${form.id}`, { name: 'team' })
  expect(await heard(onBen, 'ROLE_UPDATE')).toEqual({ ...form, name: 'team' })
  await call(ann, 'DELETE', `/houses/${den.id}/roles/${form.id}`)
  expect(await heard(onBen, 'ROLE_DELETE')).toEqual({ id: form.id, house_id: den.id })
})

test('a room made and deleted: ROOM_CREATE and ROOM_DELETE to its readers, the entities to the house', async () => {
  const { ben, den, onAnn, onBen } = await scene()
  const secret = await houseRoom(den, { default_deny: readMessages })
  await publish(
    { type: 'room_created', room_id: secret, house_id: den.id },
    { type: 'entities_updated', house_id: den.id },
  )
  expect((await heard(onAnn, 'ROOM_CREATE')).id).toBe(secret)
  const pointers = (d: Frame['d']) => d.entities[0].resource_pointers.length
  expect(pointers(await heard(onAnn, 'HOUSE_ENTITIES_UPDATE'))).toBe(2)
  expect(pointers(await heard(onBen, 'HOUSE_ENTITIES_UPDATE'))).toBe(1)
  expect(onBen.passed).toEqual([])
  await db.deleteFrom('rooms').where('id', '=', secret).execute()
  await publish({ type: 'room_deleted', room_id: secret, house_id: den.id })
  expect(await heard(onAnn, 'ROOM_DELETE')).toEqual({ id: secret, house_id: den.id })
  await expectSilence(onBen, ben)
})

test('a room changed: ROOM_UPDATE to its readers', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene()
  const edited = await call(ann, 'PATCH', `/rooms/${den.room_id}`, { description: 'new' })
  expect(await heard(onAnn, 'ROOM_UPDATE')).toEqual(edited.body.data)
  expect(await heard(onBen, 'ROOM_UPDATE')).toMatchObject({ description: 'new', recipients: null })
  await expectSilence(onBen, ben)
})

test('losing a room: ROOM_DELETE, the entities, and nothing after; gaining it back: ROOM_CREATE', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene()
  const gag = await role(den, { deny: readMessages })
  const row = { house_id: den.id, user_id: ben.id, role_id: gag }
  const changed: HearthEvent[] = [
    { type: 'member_updated', house_id: den.id, user_id: ben.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [ben.id] },
  ]
  await db.insertInto('member_roles').values(row).execute()
  await publish(...changed)
  await heard(onBen, 'HOUSE_MEMBER_UPDATE')
  expect(await heard(onBen, 'ROOM_DELETE')).toEqual({ id: den.room_id, house_id: den.id })
  expect((await heard(onBen, 'HOUSE_ENTITIES_UPDATE')).entities[0].resource_pointers).toEqual([])
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'alone?' })
  await publish({ type: 'room_updated', room_id: den.room_id, house_id: den.id })
  await heard(onAnn, 'ROOM_UPDATE')
  await expectSilence(onBen, ben)
  await db.deleteFrom('member_roles').where('role_id', '=', gag).execute()
  await publish(...changed, { type: 'visibility_changed', house_id: den.id, user_ids: null })
  const room = await heard(onBen, 'ROOM_CREATE')
  expect(room.last_message_id).not.toBe(null)
  expect((await heard(onBen, 'HOUSE_ENTITIES_UPDATE')).entities[0].resource_pointers.length).toBe(1)
  await expectSilence(onBen, ben)
  await publish({ type: 'user_updated', user_id: ann.id, only_self: true })
  await onAnn.next('USER_UPDATE')
  expect(onAnn.passed).toEqual(['HOUSE_MEMBER_UPDATE'])
})

test('overrides that shut somebody out are not told to them', async () => {
  const { ann, ben, den, onAnn, onBen } = await scene()
  const override = { type: 1, allow: 0, deny: readMessages }
  await call(ann, 'PUT', `/rooms/${den.room_id}/overrides/${ben.id}`, override)
  const { permission_overrides } = await heard(onAnn, 'ROOM_UPDATE')
  expect(permission_overrides).toEqual({ [ben.id]: { id: ben.id, ...override } })
  await heard(onBen, 'ROOM_DELETE')
  expect(onBen.events.map((frame) => frame.e)).not.toContain('ROOM_UPDATE')
})

test('a message sent in a house: MESSAGE_CREATE to the readers, the sender among them', async () => {
  const { ann, ben, cat, den, onAnn, onBen, onCat } = await scene()
  const answer = await call(ben, 'POST', `/rooms/${den.room_id}/messages`, { content: `hi <@${ann.id}>` })
  for (const client of [onAnn, onBen]) {
    expect(await heard(client, 'MESSAGE_CREATE')).toEqual(answer.body.data)
  }
  expect(answer.body.data).toMatchObject({ exploding: null, house_id: den.id })
  expect(typeof answer.body.data.timestamp).toBe('number')
  await expectSilence(onCat, cat)
})

test('a message edited and deleted: MESSAGE_UPDATE and MESSAGE_DELETE', async () => {
  const { ben, den, onAnn } = await scene()
  const sent = await call(ben, 'POST', `/rooms/${den.room_id}/messages`, { content: 'one' })
  const { id } = sent.body.data
  const edited = await call(ben, 'PATCH', `/rooms/${den.room_id}/messages/${id}`, { content: 'two' })
  expect(await heard(onAnn, 'MESSAGE_UPDATE')).toEqual(edited.body.data)
  await call(ben, 'DELETE', `/rooms/${den.room_id}/messages/${id}`)
  const place = { room_id: den.room_id, house_id: den.id }
  expect(await heard(onAnn, 'MESSAGE_DELETE')).toEqual({ id, message_id: id, ...place })
})

test('typing: recipient_ids in private rooms alone, one in a one-to-one, all in a group', async () => {
  const { ann, ben, den, onBen } = await scene()
  const pair = (await call(ann, 'POST', '/users/@me/rooms', { recipient: ben.id })).body.data.id
  const trio = (await call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] })).body.data.id
  const told: Frame['d'][] = []
  for (const room_id of [den.room_id, pair, trio]) {
    const { timestamp } = (await call(ann, 'POST', `/rooms/${room_id}/typing`)).body.data
    const { recipient_ids, ...rest } = await heard(onBen, 'TYPING_START')
    const house_id = room_id === den.room_id ? den.id : null
    expect(rest).toEqual({ timestamp, room_id, house_id, author_id: ann.id })
    told.push(recipient_ids)
  }
  expect(told.slice(0, 2)).toEqual([undefined, [ben.id]])
  expect(told[2].sort()).toEqual([ann.id, ben.id].sort())
})

test('private rooms: ROOM_CREATE to those in it, messages, ROOM_UPDATE, ROOM_DELETE to the one gone', async () => {
  const { ann, ben, onAnn, onBen } = await scene()
  const made = await call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] })
  const id = made.body.data.id
  expect(await heard(onAnn, 'ROOM_CREATE')).toEqual(made.body.data)
  expect((await heard(onBen, 'ROOM_CREATE')).recipients.map((one: { id: string }) => one.id)).toEqual([
    ann.id,
  ])
  await call(ben, 'POST', `/rooms/${id}/messages`, { content: 'hi' })
  expect(await heard(onAnn, 'MESSAGE_CREATE')).toMatchObject({ house_id: null, exploding: false })
  await call(ben, 'DELETE', `/users/@me/rooms/${id}`)
  expect(await heard(onBen, 'ROOM_DELETE')).toEqual({ id, house_id: null })
  expect((await heard(onAnn, 'ROOM_UPDATE')).recipients.map((one: { id: string }) => one.id)).toEqual([
    ann.id,
  ])
  await call(ann, 'POST', `/rooms/${id}/messages`, { content: 'gone?' })
  await heard(onAnn, 'MESSAGE_CREATE')
  await expectSilence(onBen, ben)
})

test('a profile changed: USER_UPDATE to oneself, friends and private-room partners, the address to oneself', async () => {
  const { ann, ben, cat, onAnn, onBen, onCat } = await scene()
  await friends(ann, cat)
  await db.updateTable('users').set({ email_verified: true, bio: 'new' }).where('id', '=', ann.id).execute()
  await publish({ type: 'user_updated', user_id: ann.id, only_self: false })
  expect(await heard(onAnn, 'USER_UPDATE')).toMatchObject({ bio: 'new', email_verified: true })
  expect(await heard(onCat, 'USER_UPDATE')).toMatchObject({ bio: 'new', email_verified: false })
  await expectSilence(onBen, ben)
  await publish({ type: 'user_updated', user_id: ann.id, only_self: true })
  await heard(onAnn, 'USER_UPDATE')
  await expectSilence(onCat, cat)
})

test('relations: RELATIONSHIP_UPDATE to the side that changed, with its six keys', async () => {
  const { ann, ben, onAnn, onBen } = await scene()
  await call(ann, 'POST', '/relationships/@me/friend-requests', { user_id: ben.id })
  expect(await heard(onAnn, 'RELATIONSHIP_UPDATE')).toMatchObject({
    id: ben.id,
    user_id: ben.id,
    recipient_id: ann.id,
    type: 1,
  })
  expect(await heard(onBen, 'RELATIONSHIP_UPDATE')).toMatchObject({ id: ann.id, type: 2 })
  await call(ann, 'PUT', `/relationships/@me/blocked/${ben.id}`)
  expect((await heard(onAnn, 'RELATIONSHIP_UPDATE')).type).toBe(5)
  expect((await heard(onBen, 'RELATIONSHIP_UPDATE')).type).toBe(0)
})

test('read state and settings go to extended connections of oneself alone', async () => {
  const { ann, ben, den, onAnn } = await scene()
  const extended = await logIn(app, ann, { extended: true })
  const sent = await call(ben, 'POST', `/rooms/${den.room_id}/messages`, { content: `<@${ann.id}>` })
  await heard(onAnn, 'MESSAGE_CREATE')
  const acked = await call(ann, 'POST', `/rooms/${den.room_id}/messages/${sent.body.data.id}/ack`)
  expect(await heard(extended, 'READ_STATE_UPDATE')).toEqual(acked.body.data)
  const settings = await call(ann, 'PATCH', '/users/@me/settings', { onboarded: true })
  expect(await heard(extended, 'SETTINGS_UPDATE')).toEqual(settings.body.data)
  await expectSilence(onAnn, ann)
})

test('op 7 answers the members asked for, and nothing to a stranger', async () => {
  const { ann, ben, cat, den, onBen, onCat } = await scene()
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [ann.id, cat.id, '1', 'x', ann.id] } })
  const some = await heard(onBen, 'HOUSE_MEMBERS_CHUNK')
  expect([some.house_id, Object.keys(some.members)]).toEqual([den.id, [ann.id]])
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [cat.id] } })
  expect(await heard(onBen, 'HOUSE_MEMBERS_CHUNK')).toEqual({ house_id: den.id, members: {} })
  onBen.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  const all = await heard(onBen, 'HOUSE_MEMBERS_CHUNK')
  expect(Object.keys(all.members).sort()).toEqual([ann.id, ben.id].sort())
  onCat.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  onCat.send({ op: 6, d: { user_ids: [] } })
  await expectSilence(onCat, cat)
})

test('a session that ends closes its connections 4003, and no others', async () => {
  const { ann, onAnn, onBen } = await scene()
  const second = await logIn(app, ann)
  await call(ann, 'DELETE', `/users/@me/sessions/${ann.session_id}`)
  expect(await onAnn.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  expect(await second.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  expect(onBen.closed).toBeUndefined()
})
