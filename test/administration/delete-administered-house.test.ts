import { expect, test } from 'vitest'
import { listen, logIn } from '../support/gateway.ts'
import { webhook, webhookNotFound } from '../support/webhooks.ts'
import { admin, call, failure, house, user } from '../support/world.ts'

const ruler = await admin()

test('an admin deletes a house of others, and its members are told', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const hook = await webhook(den)
  const app = await listen()
  const socket = await logIn(app, bob)
  const answer = await call(ruler, 'DELETE', `/admin/houses/${den.id}`)
  expect(answer.body.data).toEqual({ id: den.id })
  expect((await socket.next('HOUSE_DOWN')).d.house_id).toBe(den.id)
  expect((await call(null, 'POST', hook.path, { content: 'x' })).body).toEqual(webhookNotFound)
  const again = await call(ruler, 'DELETE', `/admin/houses/${den.id}`)
  expect(again.body).toEqual(failure('house_not_found', 'That house does not exist'))
})
