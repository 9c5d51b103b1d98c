import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { createBus } from '../../src/events/bus.ts'
import { presenceOf } from '../../src/events/presence.ts'
import { logIn } from '../support/gateway.ts'
import { otherApp } from '../support/other-app.ts'
import { relayDoubles } from '../support/relay-double.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { databaseUrl, db, friends, house, user } from '../support/world.ts'

const way = detour(databaseUrl)
const proxy = await openTcpProxy(way.target)
const proxied = openDatabase(way.through(proxy.port))
// One of several processes.
const bus = createBus(relayDoubles(() => [])(), { isOneOfMany: true })
const { app, call } = await otherApp({}, { db: proxied, bus, gateway: { offlineAfterMs: 50 } })
await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(async () => {
  await app.close()
  await bus.close()
  await proxied.destroy()
  await proxy.close()
})

test('who goes offline while the database is away is told of when it is back', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await friends(ann, ben)
  await house({ owner: ann, members: [cat] })
  const client = await logIn(app, ann)
  const leaving = [await logIn(app, ben), await logIn(app, cat)]
  await client.next('HOUSE_MEMBER_ENTER')
  await proxy.set('refuse')
  for (const one of leaving) await one.close()
  await expect.poll(() => [presenceOf(ben.id), presenceOf(cat.id)]).toEqual(['offline', 'offline'])
  // What was asked before it has failed as well.
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(503)
  await proxy.set('fine')
  const told = (e: string) => client.events.findLast((frame) => frame.e === e)?.d
  await client.until(() => told('HOUSE_MEMBER_EXIT') !== undefined, 'the exit')
  await client.until(() => told('PRESENCE_UPDATE')?.presence === 'offline', 'the presence')
  expect([told('HOUSE_MEMBER_EXIT').id, told('PRESENCE_UPDATE').id]).toEqual([cat.id, ben.id])
  expect(client.closed).toBeUndefined()
})

test('a profile that was changed just before the database went away is told of when it is back', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const clients = [await logIn(app, ann), await logIn(app, ben)]
  await proxy.set('refuse')
  await db.updateTable('users').set({ name: 'New' }).where('id', '=', ann.id).execute()
  // The answer does not wait for it.
  await bus.publish([{ type: 'user_updated', user_id: ann.id, only_self: false }])
  await proxy.set('fine')
  for (const client of clients) {
    expect((await client.next('USER_UPDATE')).d).toMatchObject({ id: ann.id, name: 'New' })
    expect(client.closed).toBeUndefined()
  }
})

test('an edit is told although the message cannot be read again', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const client = await logIn(app, ann)
  const path = `/rooms/${den.room_id}/messages`
  const { id } = (await call(ann, 'POST', path, { content: 'said' })).body.data
  const message = (await call(ann, 'PATCH', `${path}/${id}`, { content: 'edited' })).body.data
  await client.next('MESSAGE_UPDATE')
  await proxy.set('refuse')
  await bus.publish([{ type: 'message_updated', room_id: den.room_id, house_id: den.id, message }])
  expect((await client.next('MESSAGE_UPDATE')).d).toEqual(message)
  await proxy.set('fine')
})
