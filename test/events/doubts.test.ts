import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { logIn } from '../support/gateway.ts'
import { otherApp } from '../support/other-app.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { untilWaiting } from '../support/waiting.ts'
import { type Answer, databaseUrl, db, friends, house, user } from '../support/world.ts'

// The connection to the database breaks while it commits.

const way = detour(databaseUrl)
const proxy = await openTcpProxy(way.target)
const proxied = openDatabase(way.through(proxy.port))
const { app, call } = await otherApp({}, { db: proxied })
await app.listen({ host: '127.0.0.1', port: 0 })
const waitAtCommit = 4_242
await sql
  .raw(`create function wait_at_commit() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(${waitAtCommit}); return null; end $$`)
  .execute(db)
const changes = [
  'delete on members',
  'delete on sessions',
  'update on users',
  'delete on friendships',
  'insert on room_settings',
  'update or delete on messages',
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

/** Makes a change, and breaks all connections while PostgreSQL commits it; it is carried out. */
async function commitIntoSilence(change: () => Promise<Answer>): Promise<void> {
  const held = await db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(${waitAtCommit})`.execute(held)
  const answer = change()
  await untilWaiting(1)
  await proxy.set('reset')
  expect((await answer).status).toBe(503)
  await proxy.set('fine')
  await held.commit().execute()
}

test('who was kicked by a commit that was not answered is no longer told of the house, and nobody else is cut off', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const [client, other] = [await logIn(app, ben), await logIn(app, cat)]
  await commitIntoSilence(() => call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`))
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  const fresh = await logIn(app, ben)
  expect(fresh.events[0]!.d.house_ids).toEqual([])
  expect(other.closed).toBeUndefined()
})

test('a login session that was ended by a commit that was not answered has no connection any more', async () => {
  const ann = await user()
  const client = await logIn(app, ann)
  await commitIntoSilence(() => call(ann, 'POST', '/auth/logout'))
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
})

test('a profile that was changed by a commit that was not answered is told to the friends', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const client = await logIn(app, ben)
  await commitIntoSilence(() => call(ann, 'PATCH', '/users/@me', { name: 'New' }))
  expect((await client.next('USER_UPDATE')).d).toMatchObject({ id: ann.id, name: 'New' })
})

test('who was unfriended by a commit that was not answered logs in again, as does who has done it', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const clients = [await logIn(app, ann), await logIn(app, ben)]
  await commitIntoSilence(() => call(ann, 'DELETE', `/relationships/@me/friends/${ben.id}`))
  for (const client of clients) {
    expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  }
  const fresh = await logIn(app, ben)
  expect(fresh.events[0]!.d.relationships).toEqual({})
})

test('the setting of a room that was made by a commit that was not answered is in the state of a new login', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const client = await logIn(app, ann)
  const preference = { notification_preference: 2 }
  const path = `/users/@me/settings/room_overrides/${den.room_id}`
  await commitIntoSilence(() => call(ann, 'PUT', path, preference))
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  const fresh = await logIn(app, ann)
  expect(fresh.events[0]!.d.settings.room_overrides).toEqual({ [den.room_id]: preference })
})

test.each([
  ['edited', 'PATCH', { content: 'new' }],
  ['deleted', 'DELETE', undefined],
] as const)(
  'who saw a message that was %s by a commit that was not answered logs in again',
  async (_, method, body) => {
    const [ann, ben] = [await user(), await user()]
    const den = await house({ owner: ann, members: [ben] })
    const path = `/rooms/${den.room_id}/messages`
    const { id } = (await call(ann, 'POST', path, { content: 'said' })).body.data
    const client = await logIn(app, ben)
    await commitIntoSilence(() => call(ann, method, `${path}/${id}`, body))
    expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  },
)
