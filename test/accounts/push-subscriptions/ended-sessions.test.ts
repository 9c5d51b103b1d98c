import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { pushingApp, startPushService, subscribeTo } from '../../support/push-service.ts'
import { call as callElsewhere, db, oneToOne, user } from '../../support/world.ts'

const service = await startPushService()
const { call } = await pushingApp()

async function countOf({ id }: { id: string }): Promise<number> {
  return (await db.selectFrom('push_subscriptions').select('id').where('user_id', '=', id).execute()).length
}

test('a subscription ends with the log-out of its session', async () => {
  const ann = await user()
  await subscribeTo(call, ann, service.subscribe())
  expect((await callElsewhere(ann, 'POST', '/auth/logout')).status).toBe(204)
  expect(await countOf(ann)).toBe(0)
})

test('a change of the password ends those of other sessions', async () => {
  const ann = await resident('ann')
  const { body } = await callElsewhere(null, 'POST', '/auth/login', { login: ann.email, password })
  const elsewhere = { ...ann, token: body.data.token }
  await subscribeTo(call, ann, service.subscribe())
  await subscribeTo(call, elsewhere, service.subscribe())
  expect(await countOf(ann)).toBe(2)
  const change = { current: password, new: 'another password' }
  expect((await callElsewhere(ann, 'PATCH', '/users/@me/password', change)).status).toBe(200)
  expect(await countOf(ann)).toBe(1)
})

test('a deleted account has no subscription and nothing that was pushed', async () => {
  const ann = await resident('ann')
  const bob = await user()
  const browser = service.subscribe()
  await subscribeTo(call, ann, browser)
  await call(bob, 'POST', `/rooms/${await oneToOne(ann, bob)}/messages`, { content: 'hello' })
  await browser.received(1)
  const pushed = db.selectFrom('pushed_rooms').select('count').where('user_id', '=', ann.id)
  expect(await pushed.execute()).toEqual([{ count: 1 }])
  expect((await callElsewhere(ann, 'DELETE', '/users/@me', { password })).status).toBe(200)
  expect(await countOf(ann)).toBe(0)
  expect(await pushed.execute()).toEqual([])
})
