import { expect, test } from 'vitest'
import { issueCode } from '../../../src/accounts/codes/operations.ts'
import { password, personOf, resident } from '../../support/accounts.ts'
import { download, exportPath, ready } from '../../support/exports.ts'
import { publishedAbout } from '../../support/published.ts'
import { call, db, failure, noAuth, uniqueName, user } from '../../support/world.ts'

const path = '/users/@me/password'
const wrong = failure('invalid_credentials', 'The login or password is wrong')

test('a password change ends all other login sessions', async () => {
  const ann = await resident('ann')
  const logIn = (chosen: string) =>
    call(null, 'POST', '/auth/login', { login: ann.username, password: chosen })
  const elsewhere = await personOf(await logIn(password))
  const answer = await call(ann, 'PATCH', path, { current: password, new: 'battery staple' })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ id: ann.id })
  expect(publishedAbout(ann.id, ann.session_id, elsewhere.session_id)).toEqual([
    { type: 'sessions_ended', session_ids: [elsewhere.session_id] },
  ])
  expect((await call(elsewhere, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(200)
  expect((await logIn(password)).body).toEqual(wrong)
  expect((await logIn('battery staple')).status).toBe(200)
})

test('a wrong current password, wrong fields and bots are refused without a change', async () => {
  const bob = await resident('bob')
  const bot = await user({ bot_of: bob })
  expect((await call(bob, 'PATCH', path, { current: 'x', new: 'battery staple' })).body).toEqual(wrong)
  expect((await call(bob, 'PATCH', path, { new: 'short' })).body).toEqual(
    failure('invalid_schema', 'Required fields (current, new) not met'),
  )
  expect((await call(bot, 'PATCH', path, { current: 'x', new: 'battery staple' })).body).toEqual(
    failure('no_permission', 'You do not have permission to do this'),
  )
  const answers = await Promise.all(
    [undefined, { current: 5, new: password }].map((body) => call(bob, 'PATCH', path, body)),
  )
  expect(answers.map((answer) => answer.status)).toEqual([400, 400])
  expect((await call(null, 'POST', '/auth/login', { login: bob.username, password })).status).toBe(200)
})

test('one of two concurrent password changes succeeds', async () => {
  const cem = await resident('cem')
  const answers = await Promise.all(
    ['first choice', 'second choice'].map((choice) =>
      call(cem, 'PATCH', path, { current: password, new: choice }),
    ),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('a password change cancels a pending address, also of an account without one, and ends the export', async () => {
  const ann = await resident()
  await call(ann, 'POST', exportPath, { password })
  const { url } = await ready(ann)
  await db.updateTable('users').set({ email: null }).where('id', '=', ann.id).execute()
  const { code } = await issueCode(db, ann.id, 'verify_email', `${uniqueName('thief')}@example.org`)
  expect((await call(ann, 'PATCH', path, { current: password, new: 'another horse' })).status).toBe(200)
  expect((await call(null, 'POST', '/auth/verify-email', { code })).body.error.code).toBe('invalid_code')
  expect((await download(url)).reply.statusCode).toBe(404)
})
