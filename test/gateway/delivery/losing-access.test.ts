import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { password, personOf, resident } from '../../support/accounts.ts'
import { Client, expectExact, listen, logIn } from '../../support/gateway.ts'
import { expectSilence } from '../../support/gateway-scene.ts'
import { otherApp } from '../../support/other-app.ts'
import {
  call,
  type Den,
  db,
  friends,
  house,
  houseRoom,
  oneToOne,
  type Person,
  role,
  user,
} from '../../support/world.ts'

const app = await listen()
const readMessages = 2

async function scene() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  const [onAnn, onBen, onCat] = [await logIn(app, ann), await logIn(app, ben), await logIn(app, cat)]
  // Of Ben and Cat, and of Cat: they may come after Cat's own login.
  for (const client of [onAnn, onAnn, onBen]) await client.next('HOUSE_MEMBER_ENTER')
  for (const client of [onAnn, onBen, onCat]) client.takeAll()
  return { ann, ben, cat, den, onAnn, onBen, onCat }
}

/** Everything one can do in a house, after somebody lost it. */
async function stir(ann: Person, den: Den): Promise<void> {
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'after' })
  await call(ann, 'POST', `/rooms/${den.room_id}/typing`)
  await call(ann, 'PATCH', `/rooms/${den.room_id}`, { description: 'after' })
  await call(ann, 'POST', `/houses/${den.id}/rooms`, { name: 'after' })
  await call(ann, 'POST', `/houses/${den.id}/roles`, { name: 'after' })
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'after' })
}

test('a kick sends HOUSE_LEAVE and nothing after it; the others get HOUSE_MEMBER_LEAVE', async () => {
  const { ann, ben, den, onBen, onCat } = await scene()
  expect((await call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)).status).toBe(200)
  await stir(ann, den)
  expectExact(await onBen.next('HOUSE_LEAVE'))
  await expectSilence(onBen, ben)
  expect((await onCat.next('HOUSE_MEMBER_LEAVE')).d.user_id).toBe(ben.id)
})

test('a ban sends HOUSE_LEAVE and nothing after it', async () => {
  const { ann, ben, den, onBen } = await scene()
  expect((await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, {})).status).toBe(200)
  await stir(ann, den)
  expectExact(await onBen.next('HOUSE_LEAVE'))
  await expectSilence(onBen, ben)
})

test('a role that denies reading sends ROOM_DELETE and the entities, and no later events of the rooms', async () => {
  const { ann, ben, den, onBen, onCat } = await scene()
  const second = await houseRoom(den)
  const gag = await role(den, { deny: readMessages })
  const given = await call(ann, 'PUT', `/houses/${den.id}/members/${ben.id}/roles/${gag}`)
  expect(given.status).toBe(200)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'after' })
  await call(ann, 'PATCH', `/rooms/${second}`, { description: 'after' })
  await onCat.next('MESSAGE_CREATE')
  await onBen.next('HOUSE_MEMBER_UPDATE')
  const lost = await onBen.next('ROOM_DELETE')
  expect(lost.d).toEqual({ id: den.room_id, house_id: den.id })
  expect((await onBen.next('HOUSE_ENTITIES_UPDATE')).d.entities[0].resource_pointers).toEqual([])
  await expectSilence(onBen, ben)
})

test('visibility_changed corrects what an earlier HOUSE_UPDATE has shown', async () => {
  const { den, onBen } = await scene()
  const published = (type: 'house_updated' | 'visibility_changed') =>
    app.bus.publish([{ type, house_id: den.id, user_ids: null }])
  const setDefaults = (default_permissions: number) =>
    db.updateTable('houses').set({ default_permissions }).where('id', '=', den.id).execute()
  const second = await houseRoom(den, { default_deny: readMessages })
  const openSecond = (deny: number) =>
    db.updateTable('rooms').set({ default_deny: deny }).where('id', '=', second).execute()

  // As when others shut and open rooms between the moments at which these two are read.
  await setDefaults(0)
  await published('house_updated')
  expect((await onBen.next('HOUSE_UPDATE')).d.rooms).toEqual([])
  await setDefaults(readMessages)
  await published('visibility_changed')
  expect((await onBen.next('ROOM_CREATE')).d.id).toBe(den.room_id)
  await onBen.next('HOUSE_ENTITIES_UPDATE')

  await openSecond(0)
  await published('house_updated')
  expect((await onBen.next('HOUSE_UPDATE')).d.rooms.map((one: { id: string }) => one.id)).toContain(second)
  await openSecond(readMessages)
  await published('visibility_changed')
  expect((await onBen.next('ROOM_DELETE')).d.id).toBe(second)
  await onBen.next('HOUSE_ENTITIES_UPDATE')
  await published('visibility_changed')
  expect(onBen.passed).toEqual([])
})

test('HOUSE_UPDATE is followed by ROOM_CREATE or ROOM_DELETE of rooms it shows or omits early', async () => {
  const { den, onBen } = await scene()
  const published = (type: 'house_updated' | 'visibility_changed') =>
    app.bus.publish([{ type, house_id: den.id, user_ids: null }])
  const second = await houseRoom(den, { default_deny: readMessages })
  for (const [default_deny, received] of [
    [0, 'ROOM_CREATE'] as const,
    [readMessages, 'ROOM_DELETE'] as const,
  ]) {
    await db.updateTable('rooms').set({ default_deny }).where('id', '=', second).execute()
    await published('house_updated')
    await onBen.next('HOUSE_UPDATE')
    expect((await onBen.next(received)).d.id).toBe(second)
    await onBen.next('HOUSE_ENTITIES_UPDATE')
    await published('visibility_changed')
  }
  await published('house_updated')
  await onBen.next('HOUSE_UPDATE')
  expect(onBen.passed).toEqual([])
})

test('sends one ROOM_DELETE for a room that HOUSE_UPDATE showed before its ROOM_CREATE', async () => {
  const { den, onBen, onCat } = await scene()
  const brief = await houseRoom(den)
  const known = den.room_id
  await app.bus.publish([{ type: 'house_updated', house_id: den.id }])
  expect((await onBen.next('HOUSE_UPDATE')).d.rooms.map((one: { id: string }) => one.id)).toContain(brief)
  await db.deleteFrom('rooms').where('id', 'in', [brief, known]).execute()
  const house_id = den.id
  await app.bus.publish([
    { type: 'room_created', house_id, room_id: brief },
    { type: 'room_deleted', house_id, room_id: brief },
    { type: 'room_deleted', house_id, room_id: brief },
    { type: 'room_deleted', house_id, room_id: known },
  ])
  for (const client of [onBen, onCat]) {
    expect((await client.next('ROOM_DELETE')).d).toEqual({ id: brief, house_id })
    expect((await client.next('ROOM_DELETE')).d).toEqual({ id: known, house_id })
  }
})

test('sends rooms gained, rooms lost, and then the entities', async () => {
  const { den, onBen } = await scene()
  const second = await houseRoom(den, { default_deny: readMessages })
  const deny = (id: string, default_deny: number) =>
    db.updateTable('rooms').set({ default_deny }).where('id', '=', id).execute()
  await deny(den.room_id, readMessages)
  await deny(second, 0)
  await app.bus.publish([{ type: 'visibility_changed', house_id: den.id, user_ids: null }])
  expect((await onBen.next('ROOM_CREATE')).d.id).toBe(second)
  expect((await onBen.next('ROOM_DELETE')).d.id).toBe(den.room_id)
  const { entities } = (await onBen.next('HOUSE_ENTITIES_UPDATE')).d
  const pointers = entities[0].resource_pointers.map((one: { resource_id: string }) => one.resource_id)
  expect(pointers).toEqual([second])
  expect(onBen.passed).toEqual([])
})

test('a logout closes all sockets of that login session and no others', async () => {
  const { ann, onAnn, onBen } = await scene()
  const second = await logIn(app, ann)
  expect((await call(ann, 'POST', '/auth/logout')).status).toBe(204)
  for (const client of [onAnn, second])
    expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  expect(onBen.closed).toBeUndefined()
})

test('each way to end a token closes its sockets with 4003 and no others', async () => {
  const ann = await resident()
  const bot = await user({ bot_of: ann })
  const again = async () =>
    personOf(await call(null, 'POST', '/auth/login', { login: ann.username, password }))
  const second = await again()
  const third = await again()
  const [onAnn, onBot] = [await logIn(app, ann), await logIn(app, bot)]
  const [onSecond, onThird] = [await logIn(app, second), await logIn(app, third)]
  const ended = { code: 4003, reason: 'invalid_token' }
  await call(ann, 'DELETE', `/users/@me/sessions/${second.session_id}`)
  expect(await onSecond.end()).toEqual(ended)
  await call(ann, 'PATCH', '/users/@me/password', { current: password, new: 'another horse' })
  expect(await onThird.end()).toEqual(ended)
  await call(ann, 'POST', `/bots/${bot.id}/token`)
  expect(await onBot.end()).toEqual(ended)
  expect(onAnn.closed).toBeUndefined()
})

test('a deleted account is closed with 4003 and offline at once', async () => {
  const [ann, ben] = [await user(), await resident()]
  const bot = await user({ bot_of: ben })
  await friends(ann, ben)
  const pair = await oneToOne(ann, ben)
  const [onAnn, onBen, onBot] = [await logIn(app, ann), await logIn(app, ben), await logIn(app, bot)]
  expect((await call(ben, 'DELETE', '/users/@me', { password })).status).toBe(200)
  for (const gone of [onBen, onBot]) expect(await gone.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  const received = (await onAnn.next('RELATIONSHIP_UPDATE')).d
  expect(received).toMatchObject({ type: 0, user: { name: 'Deleted user', presence: 'offline' } })
  const presences = () =>
    onAnn.frames
      .filter((frame) => frame.e === 'PRESENCE_UPDATE')
      .map((frame) => [frame.d.id, frame.d.presence])
  await expect.poll(() => presences().at(-1)).toEqual([ben.id, 'offline'])
  const later = await logIn(app, ann)
  expect(later.events[0]!.d.presences).toEqual({})
  expect(later.events[0]!.d.private_rooms[0]).toMatchObject({
    id: pair,
    recipients: [{ id: ben.id, presence: 'offline' }],
  })
})

test('a logout closes a socket that is logging in', async () => {
  const ann = await user()
  const client = new Client(app)
  client.send({ op: 2, d: { token: ann.token } })
  await call(ann, 'POST', '/auth/logout')
  expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
})

test('sends no state for a token that ends during the login', async () => {
  const ann = await user()
  const ending: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.some((row) => row.session_id === ann.session_id))
        await db.deleteFrom('sessions').where('id', '=', ann.session_id).execute()
      return result
    },
  }
  const { app } = await otherApp({}, { db: db.withPlugin(ending) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = new Client(app)
  client.send({ op: 2, d: { token: ann.token } })
  expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  expect(client.events).toEqual([])
})
