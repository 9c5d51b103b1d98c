import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { openBus } from '../../src/events/bus.ts'
import { createPresenceTracker } from '../../src/gateway/presence/presence-tracker.ts'
import { logIn } from '../support/gateway.ts'
import { otherApp } from '../support/other-app.ts'
import { detour, openTcpProxy } from '../support/tcp-proxy.ts'
import { databaseUrl, db, friends, house, node, user } from '../support/world.ts'

const route = detour(databaseUrl)
const proxy = await openTcpProxy(route.target)
const proxied = openDatabase(route.through(proxy.port))
const bus = await openBus(proxied, node)
const presences = createPresenceTracker(proxied, bus)
const { app, call } = await otherApp({}, { db: proxied, bus, presences, gateway: { offlineAfterMs: 50 } })
await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(async () => {
  await app.close()
  await presences.stop()
  await bus.close()
  await proxied.destroy()
  await proxy.close()
})

test('sends who went offline during an outage of the database after it', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await friends(ann, ben)
  await house({ owner: ann, members: [cat] })
  const client = await logIn(app, ann)
  const leaving = [await logIn(app, ben), await logIn(app, cat)]
  await client.next('HOUSE_MEMBER_ENTER')
  await proxy.set('refuse')
  const tries = vi.spyOn(proxied, 'transaction')
  onTestFinished(() => tries.mockRestore())
  for (const one of leaving) await one.close()
  await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(0)
  // Earlier statements have failed as well.
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(503)
  await proxy.set('fine')
  const received = (e: string) => client.events.findLast((frame) => frame.e === e)?.d
  await client.until(() => received('HOUSE_MEMBER_EXIT') !== undefined, 'the exit')
  await client.until(() => received('PRESENCE_UPDATE')?.presence === 'offline', 'the presence')
  expect([received('HOUSE_MEMBER_EXIT').id, received('PRESENCE_UPDATE').id]).toEqual([cat.id, ben.id])
  expect(client.closed).toBeUndefined()
})

test('sends a profile change from just before an outage after it', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const clients = [await logIn(app, ann), await logIn(app, ben)]
  await proxy.set('refuse')
  await db.updateTable('users').set({ name: 'New' }).where('id', '=', ann.id).execute()
  const received = bus.publish([{ type: 'user_updated', user_id: ann.id, only_self: false }])
  await proxy.set('fine')
  for (const client of clients) {
    expect((await client.next('USER_UPDATE')).d).toMatchObject({ id: ann.id, name: 'New' })
    expect(client.closed).toBeUndefined()
  }
  await received
})

test('sends an edit whose message cannot be read', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const client = await logIn(app, ann)
  const path = `/rooms/${den.room_id}/messages`
  const { id } = (await call(ann, 'POST', path, { content: 'said' })).body.data
  const message = (await call(ann, 'PATCH', `${path}/${id}`, { content: 'edited' })).body.data
  await client.next('MESSAGE_UPDATE')
  await proxy.set('refuse')
  await bus.publish([
    { type: 'message_updated', room_id: den.room_id, house_id: den.id, message_id: id, message },
  ])
  expect((await client.next('MESSAGE_UPDATE')).d).toEqual(message)
  await proxy.set('fine')
})
