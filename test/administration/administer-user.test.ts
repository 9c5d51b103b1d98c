import { expect, test } from 'vitest'
import { issueCode } from '../../src/accounts/codes/operations.ts'
import { password, resident } from '../support/accounts.ts'
import { download, exportPath, fileOf, ready } from '../support/exports.ts'
import { listen, logIn } from '../support/gateway.ts'
import { isDiscarded } from '../support/store.ts'
import { countBackupCodes, withTotp } from '../support/two-factor.ts'
import { untilWaiting } from '../support/waiting.ts'
import { admin, call, db, failure, house, noAuth, user } from '../support/world.ts'

const app = await listen()
const ruler = await admin()
const closed = { code: 4003, reason: 'invalid_token' }
const refused = failure('no_permission', 'You do not have permission to do this')
const unknown = failure('user_not_found', 'That user does not exist')
const wrongLogin = failure('invalid_credentials', 'The login or password is wrong')
const enter = (login: string) => call(null, 'POST', '/auth/login', { login, password })
const edit = (id: string, body: object) => call(ruler, 'PATCH', `/admin/users/${id}`, body)

test('a disabled account loses its sockets, tokens and those of its bots, and cannot log in', async () => {
  const ann = await resident()
  const bot = await user({ bot_of: ann })
  const sockets = [await logIn(app, ann), await logIn(app, bot)]
  const answer = await edit(ann.id, { disabled: true })
  expect([answer.status, answer.body.data.disabled]).toEqual([200, true])
  for (const socket of sockets) expect(await socket.end()).toEqual(closed)
  for (const caller of [ann, bot]) expect((await call(caller, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect((await enter(ann.username)).body).toEqual(wrongLogin)
  expect((await call(ruler, 'GET', `/users/${ann.username}`)).status).toBe(200)
  await edit(ann.id, { disabled: false })
  expect((await enter(ann.username)).status).toBe(200)
})

test('a token of a disabled account is none, even if it was made meanwhile', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await db.updateTable('users').set({ disabled: true }).where('id', '=', ann.id).execute()
  const asking: [Parameters<typeof call>[1], string, object?][] = [
    ['GET', '/users/@me'],
    ['GET', '/users/@me/houses'],
    ['POST', `/rooms/${den.room_id}/messages`, { content: 'x' }],
  ]
  for (const [method, path, body] of asking) {
    expect((await call(ann, method, path, body)).body).toEqual(noAuth)
  }
})

test('a login that waits while its account is disabled is refused', async () => {
  const ann = await resident()
  const answers = await Promise.all([enter(ann.username), edit(ann.id, { disabled: true })])
  const { token } = answers[0].body.data ?? {}
  if (token) expect((await call({ ...ann, token }, 'GET', '/users/@me')).body).toEqual(noAuth)
  else expect(answers[0].body).toEqual(wrongLogin)
})

test('a new password does not enable an account', async () => {
  const ann = await resident()
  await edit(ann.id, { disabled: true })
  const { code } = await issueCode(db, ann.id, 'reset_password', ann.email)
  expect((await call(null, 'POST', '/auth/reset-password', { code, password })).status).toBe(200)
  expect((await enter(ann.username)).body).toEqual(wrongLogin)
})

test('an admin that is made reaches the routes, and one that is unmade does not', async () => {
  const ann = await user()
  expect((await call(ann, 'GET', '/admin/overview')).status).toBe(404)
  await edit(ann.id, { admin: true })
  expect((await call(ann, 'GET', '/admin/overview')).status).toBe(200)
  await edit(ann.id, { admin: false })
  expect((await call(ann, 'GET', '/admin/overview')).body).toEqual(failure('not_found', 'Not found'))
})

test('an admin who is unmade while their request waits changes nothing', async () => {
  const [eve, friend] = [await admin(), await user()]
  const den = await house({ owner: await user() })
  const waiting = await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ admin: false }).where('id', '=', eve.id).execute()
    const requests = [
      call(eve, 'PATCH', `/admin/users/${friend.id}`, { admin: true }),
      call(eve, 'DELETE', `/admin/users/${friend.id}/sessions`),
      call(eve, 'DELETE', `/admin/users/${friend.id}`),
      call(eve, 'DELETE', `/admin/houses/${den.id}`),
    ]
    await untilWaiting(requests.length)
    return requests
  })
  for (const answer of waiting) expect((await answer).body).toEqual(failure('not_found', 'Not found'))
  expect((await call(friend, 'GET', '/admin/overview')).status).toBe(404)
  expect((await call(null, 'GET', `/users/${friend.id}`)).status).not.toBe(404)
  expect(await db.selectFrom('houses').select('id').where('id', '=', den.id).execute()).toHaveLength(1)
})

test('two admins who unmake one another at once leave one', async () => {
  const [one, other] = [await admin(), await admin()]
  const answers = await Promise.all([
    call(one, 'PATCH', `/admin/users/${other.id}`, { admin: false }),
    call(other, 'PATCH', `/admin/users/${one.id}`, { admin: false }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
})

test('a disabled account loses its export', async () => {
  const ann = await resident()
  await call(ann, 'POST', exportPath, { password })
  const { url } = await ready(ann)
  await edit(ann.id, { disabled: true })
  expect((await download(url)).reply.statusCode).toBe(404)
  expect(await isDiscarded(fileOf(ann, url))).toBe(true)
})

test('who is an admin is in no user object', async () => {
  const own = (await call(ruler, 'GET', '/users/@me')).body.data
  expect(own.flags).toBe(0)
  expect(JSON.stringify(own)).not.toContain('admin')
})

test('two-factor is turned off, with its secret and backup codes', async () => {
  const ann = await withTotp('ann-with-totp')
  const { body } = await edit(ann.id, { mfa_enabled: false })
  expect(body.data.user.mfa_enabled).toBe(false)
  expect((await enter(ann.username)).status).toBe(200)
  expect(await countBackupCodes(ann)).toBe(0)
})

test.each([
  [{}, 'JSON body cannot be empty'],
  [{ disabled: 'yes' }, 'Invalid fields (disabled)'],
  [{ admin: null }, 'Invalid fields (admin)'],
  [{ mfa_enabled: true }, 'Invalid fields (mfa_enabled)'],
  [{ admin: true, mfa_enabled: 0 }, 'Invalid fields (mfa_enabled)'],
])('%j is refused, and changes nothing', async (body, message) => {
  const ann = await user()
  expect((await edit(ann.id, body)).body).toEqual(failure('invalid_schema', message))
  expect((await call(ruler, 'GET', `/admin/users/${ann.id}`)).body.data.admin).toBe(false)
})

test('a bot is made no admin', async () => {
  const bot = await user({ bot_of: await user() })
  expect((await edit(bot.id, { admin: true })).body).toEqual(refused)
  expect((await edit('1', { admin: true })).body).toEqual(unknown)
})
