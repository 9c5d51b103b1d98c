import { expect, test } from 'vitest'
import { otherApp } from '../../support/other-app.ts'
import { required, told } from '../../support/permissions.ts'
import { pushSubscription } from '../../support/push-keys.ts'
import { pushingApp, startPushService } from '../../support/push-service.ts'
import { call as callWithoutPush, db, failure, noAuth, user } from '../../support/world.ts'

const service = await startPushService()
const { call } = await pushingApp()
const path = '/users/@me/push-subscriptions'

function rowsOf({ id }: { id: string }) {
  return db.selectFrom('push_subscriptions').selectAll().where('user_id', '=', id).orderBy('id').execute()
}

test('the keys of an installation are the same for all its processes, and stay', async () => {
  const keys = await Promise.all([1, 2, 3].map(() => otherApp({ vapidSubject: 'https://hearth.test' })))
  const shown = await Promise.all(keys.map((other) => other.call(null, 'GET', '/server')))
  const { public_key, private_key } = await db.selectFrom('vapid_keys').selectAll().executeTakeFirstOrThrow()
  expect(new Set(shown.map(({ body }) => body.data.push_key))).toEqual(new Set([public_key]))
  expect([public_key, private_key].map((key) => Buffer.from(key, 'base64url').length)).toEqual([65, 32])
  expect(shown[0]!.text).not.toContain(private_key)
})

test('a browser subscribes, and the same one again keeps its subscription', async () => {
  const ann = await user()
  const { subscription } = service.subscribe()
  // As `PushSubscription.toJSON()` has it, and with padding.
  const body = { ...subscription, expirationTime: null }
  const padded = { ...body, keys: { ...subscription.keys, auth: `${subscription.keys.auth}==` } }
  const first = await call(ann, 'POST', path, body)
  expect([first.status, first.body]).toEqual([200, { success: true, data: { id: expect.any(String) } }])
  expect((await call(ann, 'POST', path, padded)).body).toEqual(first.body)
  const { endpoint, keys } = subscription
  expect(await rowsOf(ann)).toMatchObject([
    { id: first.body.data.id, endpoint, ...keys, session_id: ann.session_id },
  ])
})

test('another person at the same browser takes its subscription over', async () => {
  const [ann, bob] = [await user(), await user()]
  const { subscription } = service.subscribe()
  const first = await call(ann, 'POST', path, subscription)
  const second = await call(bob, 'POST', path, subscription)
  expect(second.body.data.id).not.toBe(first.body.data.id)
  expect(await rowsOf(ann)).toEqual([])
  // The id of before is nobody's.
  await call(ann, 'DELETE', `${path}/${second.body.data.id}`)
  expect(await rowsOf(bob)).toHaveLength(1)
})

test('a user has ten subscriptions at most, also if they come at once', async () => {
  const ann = await user()
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => call(ann, 'POST', path, service.subscribe().subscription)),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.map(({ body }) => body)).toEqual(
    [1, 2].map(() => failure('limit_reached', 'You have reached a limit (push subscriptions)')),
  )
  const [kept] = await rowsOf(ann)
  expect(await rowsOf(ann)).toHaveLength(10)
  const { endpoint, p256dh, auth } = kept!
  expect((await call(ann, 'POST', path, { endpoint, keys: { p256dh, auth } })).status).toBe(200)
})

test('twenty new subscriptions an hour are enough', async () => {
  const ann = await user()
  const changes = { vapidSubject: 'mailto:ops@hearth.test', rateLimit: true }
  const limited = await otherApp(changes, { now: () => 0 })
  const { subscription } = service.subscribe()
  for (let count = 0; count < 20; count += 1) {
    expect((await limited.call(ann, 'POST', path, subscription)).status).toBe(200)
  }
  const answer = await limited.call(ann, 'POST', path, subscription)
  expect([answer.status, answer.body.error.code]).toEqual([429, 'rate_limit'])
})

test.each([
  ['plain http', { endpoint: 'http://push.example.net/x' }, 'endpoint'],
  ['no address', { endpoint: 'push.example.net' }, 'endpoint'],
  ['a password', { endpoint: 'https://me:secret@push.example.net/x' }, 'endpoint'],
  ['a blank', { endpoint: 'https://push.example.net/a b' }, 'endpoint'],
  ['no port', { endpoint: 'https://push.example.net:99999/x' }, 'endpoint'],
  ['2,049 characters', { endpoint: `https://push.example.net/${'x'.repeat(2024)}` }, 'endpoint'],
  ['a service that has ended', { endpoint: 'https://android.googleapis.com/gcm/send/x' }, 'endpoint'],
  ['no keys', { keys: undefined }, 'keys'],
  ['a short key', { keys: { ...pushSubscription.keys, p256dh: 'AAAA' } }, 'keys'],
  ['no point of the curve', { keys: { ...pushSubscription.keys, p256dh: `BA${'A'.repeat(85)}` } }, 'keys'],
  ['a short secret', { keys: { ...pushSubscription.keys, auth: 'AAAA' } }, 'keys'],
  ['plain base64', { keys: { ...pushSubscription.keys, auth: '++++++++++++++++++++++' } }, 'keys'],
])('an endpoint or keys with %s are refused', async (_, change, field) => {
  const ann = await user()
  const answer = await call(ann, 'POST', path, { ...pushSubscription, ...change })
  expect(told(answer)).toEqual([400, required(field)])
  expect(await rowsOf(ann)).toEqual([])
})

test('an endpoint of 2,048 characters is accepted', async () => {
  const endpoint = `https://push.example.net/${'x'.repeat(2023)}`
  expect((await call(await user(), 'POST', path, { ...pushSubscription, endpoint })).status).toBe(200)
})

test('without an address of the operator push is not offered', async () => {
  const ann = await user()
  const { status, body } = await callWithoutPush(ann, 'POST', path, pushSubscription)
  expect([status, body]).toEqual([400, failure('not_offered', 'This server does not offer push')])
  expect((await call(null, 'POST', path, pushSubscription)).body).toEqual(noAuth)
})
