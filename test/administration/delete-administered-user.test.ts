import { expect, test } from 'vitest'
import { resident } from '../support/accounts.ts'
import { auditRows } from '../support/audit-log.ts'
import { listen, logIn } from '../support/gateway.ts'
import { admin, call, failure, house, user } from '../support/world.ts'

const app = await listen()
const ruler = await admin()
const closed = { code: 4003, reason: 'invalid_token' }
const unknown = failure('user_not_found', 'That user does not exist')

test('an account is deleted with its bots, sockets and belongings, whatever its password', async () => {
  const ann = await resident()
  const bob = await user()
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bob] })
  const socket = await logIn(app, ann)
  const answer = await call(ruler, 'DELETE', `/admin/users/${ann.id}`)
  expect(answer.body.data).toEqual({ id: ann.id })
  expect(await socket.end()).toEqual(closed)
  for (const { id } of [ann, bot]) expect((await call(ruler, 'GET', `/users/${id}`)).status).toBe(400)
  expect((await call(bob, 'GET', `/houses/${den.id}`)).body.data.owner_id).toBe(bob.id)
  const entries = (await auditRows(den.id)).map(({ action, actor_id, target_id }) => [
    action,
    actor_id,
    target_id,
  ])
  expect(entries).toEqual([['owner_changed', ann.id, bob.id]])
  expect((await call(ruler, 'DELETE', `/admin/users/${ann.id}`)).body).toEqual(unknown)
})
