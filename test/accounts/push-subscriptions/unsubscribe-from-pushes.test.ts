import { expect, test } from 'vitest'
import { pushSubscription } from '../../support/push-keys.ts'
import { pushingApp, startPushService, subscribeTo } from '../../support/push-service.ts'
import { call as callWithoutPush, db, noAuth, user } from '../../support/world.ts'

const service = await startPushService()
const { call } = await pushingApp()
const path = '/users/@me/push-subscriptions'

function rowsOf({ id }: { id: string }) {
  return db.selectFrom('push_subscriptions').select('endpoint').where('user_id', '=', id).execute()
}

test('a subscription is deleted by its user alone, and deleting it again is no failure', async () => {
  const [ann, bob] = [await user(), await user()]
  const id = await subscribeTo(call, ann, service.subscribe())
  expect((await call(bob, 'DELETE', `${path}/${id}`)).status).toBe(200)
  expect(await rowsOf(ann)).toHaveLength(1)
  for (const _ of [1, 2]) {
    const answer = await call(ann, 'DELETE', `${path}/${id}`)
    expect([answer.status, answer.body.data]).toEqual([200, { id }])
    expect(await rowsOf(ann)).toEqual([])
  }
})

test('others keep theirs, and nobody without a token deletes any', async () => {
  const ann = await user()
  const [first] = [await subscribeTo(call, ann, service.subscribe())]
  expect((await call(ann, 'POST', path, pushSubscription)).status).toBe(200)
  expect((await call(null, 'DELETE', `${path}/${first}`)).body).toEqual(noAuth)
  // Also where push is not offered any more.
  expect((await callWithoutPush(ann, 'DELETE', `${path}/${first}`)).status).toBe(200)
  expect(await rowsOf(ann)).toEqual([{ endpoint: pushSubscription.endpoint }])
})
