import { expect, test } from 'vitest'
import { Api } from '../../src/client/api.ts'
import { listen, portOf } from '../support/gateway.ts'
import { pushSubscription } from '../support/push-keys.ts'
import { db, user } from '../support/world.ts'

const app = await listen({}, { vapidSubject: 'mailto:ops@hearth.test' })

test('a client reads the key, subscribes and unsubscribes', async () => {
  const ann = await user()
  const api = new Api({ address: `http://127.0.0.1:${portOf(app)}`, token: ann.token })
  const { push_key } = await api.call('getServer')
  expect(Buffer.from(push_key!, 'base64url')).toHaveLength(65)
  const { id } = await api.call('subscribeToPushes', { body: pushSubscription })
  const rows = () => db.selectFrom('push_subscriptions').select('id').where('user_id', '=', ann.id).execute()
  expect(await rows()).toEqual([{ id }])
  expect(await api.call('unsubscribeFromPushes', { params: { id } })).toEqual({ id })
  expect(await rows()).toEqual([])
})
