import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { logIn } from '../support/gateway.ts'
import { otherApp } from '../support/other-app.ts'
import { ownWorld } from '../support/own-world.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { untilWaiting } from '../support/waiting.ts'
import { type Answer, databaseUrl, db, friends, house, user } from '../support/world.ts'

await ownWorld()

// The connection to the database breaks while it commits.

const route = detour(databaseUrl)
const proxy = await openTcpProxy(route.target)
const proxied = openDatabase(route.through(proxy.port))
const { app, call } = await otherApp({}, { db: proxied })
await app.listen({ host: '127.0.0.1', port: 0 })
const waitAtCommit = 4_242
await sql
  .raw(`create function wait_at_commit() returns trigger language plpgsql set lock_timeout = '60s' as $$
    begin perform pg_advisory_xact_lock(${waitAtCommit}); return null; end $$`)
  .execute(db)
const changes = [
  'delete on members',
  'delete on sessions',
  'update on users',
  'delete on friendships',
  'insert on room_settings',
  'insert or update or delete on messages',
]
for (const change of changes) {
  await sql
    .raw(`create constraint trigger wait_at_commit after ${change} deferrable initially deferred
      for each row execute function wait_at_commit()`)
    .execute(db)
}
afterAll(async () => {
  await app.close()
  await proxied.destroy()
  await proxy.close()
})

/** Makes a change, and breaks all connections while PostgreSQL commits it. */
async function commitIntoSilence(change: () => Promise<Answer>): Promise<void> {
  const blocking = await db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(${waitAtCommit})`.execute(blocking)
  const answer = change()
  await untilWaiting(1)
  await proxy.set('reset')
  expect((await answer).status).toBe(503)
  await proxy.set('fine')
  await blocking.commit().execute()
  await expect.poll(async () => (await call(null, 'GET', '/ready')).status).toBe(200)
}

test('delivers a kick whose commit was not answered', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const clients = [await logIn(app, ben), await logIn(app, ann)]
  await commitIntoSilence(() => call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`))
  expect((await clients[0]!.next('HOUSE_LEAVE')).d).toEqual({ id: den.id, house_id: den.id })
  expect((await clients[1]!.next('HOUSE_MEMBER_LEAVE')).d.id).toBe(ben.id)
})

test('closes the sockets of a logout whose commit was not answered', async () => {
  const ann = await user()
  const client = await logIn(app, ann)
  await commitIntoSilence(() => call(ann, 'POST', '/auth/logout'))
  expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
})

test('delivers a profile change whose commit was not answered', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const client = await logIn(app, ben)
  await commitIntoSilence(() => call(ann, 'PATCH', '/users/@me', { name: 'New' }))
  expect((await client.next('USER_UPDATE')).d).toMatchObject({ id: ann.id, name: 'New' })
})

test('delivers an unfriending whose commit was not answered', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const clients = [await logIn(app, ann), await logIn(app, ben)]
  await commitIntoSilence(() => call(ann, 'DELETE', `/relationships/@me/friends/${ben.id}`))
  for (const client of clients) expect((await client.next('RELATIONSHIP_UPDATE')).d.type).toBe(0)
})

test('delivers a room setting whose commit was not answered', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const client = await logIn(app, ann, { extended: true })
  const preference = { notification_preference: 2 }
  const path = `/users/@me/settings/room_overrides/${den.room_id}`
  await commitIntoSilence(() => call(ann, 'PUT', path, preference))
  expect((await client.next('SETTINGS_UPDATE')).d.room_overrides).toEqual({ [den.room_id]: preference })
})

test('delivers a message, its edit and deletion whose commits were not answered', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(app, ben)
  const path = `/rooms/${den.room_id}/messages`
  const messages = () =>
    client.events.filter((frame) => frame.e!.startsWith('MESSAGE_')).map(({ e, d }) => [e, d.content])
  await commitIntoSilence(() => call(ann, 'POST', path, { content: 'said' }))
  const { id } = (await client.next('MESSAGE_CREATE')).d
  await commitIntoSilence(() => call(ann, 'PATCH', `${path}/${id}`, { content: 'new' }))
  await client.next('MESSAGE_UPDATE')
  await commitIntoSilence(() => call(ann, 'DELETE', `${path}/${id}`))
  await client.next('MESSAGE_DELETE')
  expect(messages()).toEqual([
    ['MESSAGE_CREATE', 'said'],
    ['MESSAGE_UPDATE', 'new'],
    ['MESSAGE_DELETE', undefined],
  ])
})
