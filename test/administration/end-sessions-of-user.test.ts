import { expect, test } from 'vitest'
import { password, resident } from '../support/accounts.ts'
import { listen, logIn } from '../support/gateway.ts'
import { admin, call, failure, noAuth, user } from '../support/world.ts'

const app = await listen()
const ruler = await admin()
const closed = { code: 4003, reason: 'invalid_token' }
const unknown = failure('user_not_found', 'That user does not exist')
const enter = (login: string) => call(null, 'POST', '/auth/login', { login, password })

test('ended sessions close their sockets; bots and the password stay', async () => {
  const ann = await resident()
  const bot = await user({ bot_of: ann })
  const socket = await logIn(app, ann)
  const answer = await call(ruler, 'DELETE', `/admin/users/${ann.id}/sessions`)
  expect(answer.body.data).toEqual({ id: ann.id })
  expect(await socket.end()).toEqual(closed)
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect((await call(bot, 'GET', '/users/@me')).status).toBe(200)
  expect((await enter(ann.username)).status).toBe(200)
  expect((await call(ruler, 'DELETE', '/admin/users/1/sessions')).body).toEqual(unknown)
})
