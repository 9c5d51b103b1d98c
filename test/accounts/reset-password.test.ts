import { expect, test } from 'vitest'
import { password, resident } from '../support/accounts.ts'
import { codesOf, mailing, registered, smtp } from '../support/mail.ts'
import { required, told } from '../support/permissions.ts'
import { codeIn } from '../support/smtp.ts'
import { invalidCode } from '../support/two-factor.ts'
import { call, db, noAuth, published } from '../support/world.ts'

const path = '/auth/reset-password'

/** The code that a forgotten password is sent. */
async function codeFor(username: string): Promise<string> {
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: `${username}@example.org` })
  return codeIn(await smtp.next())
}

test('a forgotten password is set anew by the code from the mail, once, and all sessions end', async () => {
  const ann = await resident('ann')
  const code = await codeFor('ann')
  published.length = 0
  const fields = { code, password: 'a new password' }
  const answer = await call(null, 'POST', path, fields)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ reset: true })
  expect(published).toEqual([{ type: 'sessions_ended', session_ids: [ann.session_id] }])
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect(told(await call(null, 'POST', path, fields))).toEqual([400, invalidCode])
  expect(await codesOf(ann)).toEqual([])
  expect((await call(null, 'POST', '/auth/login', { login: 'ann', password })).status).toBe(400)
  const login = await call(null, 'POST', '/auth/login', { login: 'ann', password: 'a new password' })
  expect(login.status).toBe(200)
})

test('of two resets with one code one gets through', async () => {
  await resident('bob')
  const code = await codeFor('bob')
  const answers = await Promise.all(
    ['first choice', 'second choice'].map((choice) => call(null, 'POST', path, { code, password: choice })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('a wrong code and an old one answer invalid_code, and the password stays', async () => {
  const cem = await resident('cem')
  const old = await codeFor('cem')
  await db
    .updateTable('account_codes')
    .set({ expires_at: new Date(0) })
    .where('user_id', '=', cem.id)
    .execute()
  for (const code of ['x', '', old]) {
    expect(told(await call(null, 'POST', path, { code, password: 'a new password' }))).toEqual([
      400,
      invalidCode,
    ])
  }
  expect((await call(null, 'POST', '/auth/login', { login: 'cem', password })).status).toBe(200)
})

test('a reset names its wrong fields, and does not use the code up', async () => {
  await resident('dan')
  const code = await codeFor('dan')
  expect(told(await call(null, 'POST', path))).toEqual([400, required('code', 'password')])
  expect(told(await call(null, 'POST', path, { password: 'short' }))).toEqual([
    400,
    required('code', 'password'),
  ])
  expect(told(await call(null, 'POST', path, { code, password: 'short' }))).toEqual([
    400,
    required('password'),
  ])
  expect((await call(null, 'POST', path, { code, password: 'long enough' })).status).toBe(200)
})

test('a reset ends the change to another address that somebody else may have begun', async () => {
  const eve = await resident('eve')
  await mailing.call(eve, 'PATCH', '/users/@me/email', { email: 'thief@example.org', password })
  const change = codeIn(await smtp.next())
  await call(null, 'POST', path, { code: await codeFor('eve'), password: 'a new password' })
  expect(told(await call(null, 'POST', '/auth/verify-email', { code: change }))).toEqual([400, invalidCode])
})

test('a new password leaves the code that proves the present address', async () => {
  const fay = await registered('fay')
  await call(null, 'POST', path, { code: await codeFor('fay'), password: 'a new password' })
  expect((await call(null, 'POST', '/auth/verify-email', { code: fay.code })).status).toBe(200)
})
