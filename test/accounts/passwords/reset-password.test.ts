import { expect, test } from 'vitest'
import { issueCode } from '../../../src/accounts/codes/operations.ts'
import { lockUsers } from '../../../src/users/lock-queries.ts'
import { password, resident } from '../../support/accounts.ts'
import { codesOf, mailingApp } from '../../support/mail.ts'
import { required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import { codeIn } from '../../support/smtp.ts'
import { invalidCode } from '../../support/two-factor.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, noAuth, uniqueName, user } from '../../support/world.ts'

const { mailing, registered, smtp } = await mailingApp()

const path = '/auth/reset-password'

/** Requests a reset code, and returns it from the mail. */
async function codeFor({ email }: { email: string }): Promise<string> {
  await mailing.call(null, 'POST', '/auth/forgot-password', { email })
  return codeIn(await smtp.next(email))
}

test('a reset code from the mail sets the password once, and ends all sessions', async () => {
  const ann = await resident('ann')
  const code = await codeFor(ann)
  const fields = { code, password: 'a new password' }
  const answer = await call(null, 'POST', path, fields)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ reset: true })
  expect(publishedAbout(ann.id, ann.session_id)).toEqual([
    { type: 'sessions_ended', session_ids: [ann.session_id] },
  ])
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect(told(await call(null, 'POST', path, fields))).toEqual([400, invalidCode])
  expect(await codesOf(ann)).toEqual([])
  expect((await call(null, 'POST', '/auth/login', { login: ann.email, password })).status).toBe(400)
  const login = await call(null, 'POST', '/auth/login', { login: ann.email, password: 'a new password' })
  expect(login.status).toBe(200)
})

test("a reset ends the bots' tokens, and an ended session creates no new one", async () => {
  const gil = await resident('gil')
  const [bot, other] = [await user({ bot_of: gil }), await user({ bot_of: await user() })]
  const code = await codeFor(gil)
  const late = await db.transaction().execute(async (trx) => {
    // Both requests have passed the token check, and wait for the lock of the account.
    await lockUsers(trx, [gil.id])
    const reset = call(null, 'POST', path, { code, password: 'a new password' })
    await untilWaiting(1)
    const rotated = call(gil, 'POST', `/bots/${bot.id}/token`, {})
    await untilWaiting(2)
    const made = call(gil, 'POST', '/bots', { username: uniqueName('gilbot'), name: 'Gil' })
    await untilWaiting(3)
    return [reset, rotated, made]
  })
  const [reset, rotated, made] = await Promise.all(late)
  expect(reset!.status).toBe(200)
  expect([rotated!.body, made!.body]).toEqual([noAuth, noAuth])
  expect((await call(bot, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect((await call(other, 'GET', '/users/@me')).status).toBe(200)
  expect(publishedAbout(bot.session_id)).toEqual([{ type: 'sessions_ended', session_ids: [bot.session_id] }])
})

test('one of two concurrent resets with a code succeeds', async () => {
  const code = await codeFor(await resident())
  const answers = await Promise.all(
    ['first choice', 'second choice'].map((choice) => call(null, 'POST', path, { code, password: choice })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('a wrong or expired code answers invalid_code without a change', async () => {
  const cem = await resident('cem')
  const old = await codeFor(cem)
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
  expect((await call(null, 'POST', '/auth/login', { login: cem.email, password })).status).toBe(200)
})

test('a code for an address that the account no longer has answers invalid_code', async () => {
  const dan = await resident('dan')
  const { code } = await issueCode(db, dan.id, 'reset_password', `former.${dan.email}`)
  const fields = { code, password: 'a new password' }
  expect(told(await call(null, 'POST', path, fields))).toEqual([400, invalidCode])
  const present = await issueCode(db, dan.id, 'reset_password', dan.email.toUpperCase())
  expect((await call(null, 'POST', path, { ...fields, code: present.code })).status).toBe(200)
})

test('a code works as somebody types it', async () => {
  const code = (await codeFor(await resident())).toUpperCase()
  const typed = ` ${code.slice(0, 4)}-${code.slice(4, 8)} ${code.slice(8)}`
  expect((await call(null, 'POST', path, { code: typed, password: 'a new password' })).status).toBe(200)
})

test('a reset with wrong fields names them and keeps the code valid', async () => {
  const code = await codeFor(await resident())
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

test('a reset cancels a pending change of the e-mail address', async () => {
  const eve = await resident('eve')
  const thief = `${uniqueName('thief')}@example.org`
  await mailing.call(eve, 'PATCH', '/users/@me/email', { email: thief, password })
  const change = codeIn(await smtp.next(thief))
  await call(null, 'POST', path, { code: await codeFor(eve), password: 'a new password' })
  expect(told(await call(null, 'POST', '/auth/verify-email', { code: change }))).toEqual([400, invalidCode])
})

test('a reset keeps the verification code of the present address', async () => {
  const fay = await registered('fay')
  await call(null, 'POST', path, { code: await codeFor(fay), password: 'a new password' })
  expect((await call(null, 'POST', '/auth/verify-email', { code: fay.code })).status).toBe(200)
})
