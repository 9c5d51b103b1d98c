import { expect, test } from 'vitest'
import { password } from '../../support/accounts.ts'
import { watching } from '../../support/houses.ts'
import { codesOf, mailing, registered, smtp } from '../../support/mail.ts'
import { refusesStrangers } from '../../support/messages.ts'
import { noPermission, told } from '../../support/permissions.ts'
import { codeIn } from '../../support/smtp.ts'
import { invalidCode } from '../../support/two-factor.ts'
import { call, db, user } from '../../support/world.ts'

const path = '/auth/verify-email/resend'

test('a resent code cancels the earlier one; a verified address receives none', async () => {
  const bob = await registered('bob')
  const { answer: again, events } = await watching(() => mailing.call(bob, 'POST', path))
  expect(again.status).toBe(200)
  expect(again.body.data).toEqual({ email: 'bob@example.org' })
  expect(events).toEqual([])
  const mail = await smtp.next()
  expect(mail.to).toEqual(['bob@example.org'])
  const text = mail.text.replace(/=\n/g, '')
  expect(text).toContain('Subject: Confirm your e-mail address for hearth.test')
  expect(text).toContain('"bob" on http://hearth.test')
  expect(text).toContain('POST http://hearth.test/auth/verify-email')
  expect(await codesOf(bob)).toEqual(['verify_email'])
  const newer = codeIn(mail)
  expect((await call(null, 'POST', '/auth/verify-email', { code: bob.code })).body).toEqual(invalidCode)
  expect((await call(null, 'POST', '/auth/verify-email', { code: newer })).status).toBe(200)
  const after = await mailing.call(bob, 'POST', path)
  expect(after.body.data).toEqual({ email: 'bob@example.org' })
  expect(smtp.mails).toEqual([])
  expect(await codesOf(bob)).toEqual([])
})

test('a resent code has its full validity, and a reset code causes no resend', async () => {
  const dan = await registered('dan')
  const expires_at = new Date(Date.now() - 1)
  await db.updateTable('account_codes').set({ expires_at }).where('user_id', '=', dan.id).execute()
  await mailing.call(dan, 'POST', path)
  const code = codeIn(await smtp.next())
  expect((await call(null, 'POST', '/auth/verify-email', { code })).status).toBe(200)
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: 'dan@example.org' })
  await smtp.next()
  await mailing.call(dan, 'POST', path)
  expect(smtp.mails).toEqual([])
  expect(await codesOf(dan)).toEqual(['reset_password'])
})

test('a resend goes to the requested address until its code has expired', async () => {
  const eve = await registered('eve')
  await call(null, 'POST', '/auth/verify-email', { code: eve.code })
  await mailing.call(eve, 'PATCH', '/users/@me/email', { email: 'new@example.org', password })
  await smtp.next()
  expect((await mailing.call(eve, 'POST', path)).body.data).toEqual({ email: 'new@example.org' })
  expect((await smtp.next()).to).toEqual(['new@example.org'])
  const expires_at = new Date(Date.now() - 1)
  await db.updateTable('account_codes').set({ expires_at }).where('user_id', '=', eve.id).execute()
  expect((await mailing.call(eve, 'POST', path)).body.data).toEqual({ email: 'eve@example.org' })
  expect(smtp.mails).toEqual([])
})

test('without mail the address is returned, and no code created', async () => {
  const cem = await user({ username: 'cem' })
  const answer = await call(cem, 'POST', path, {})
  expect([answer.status, answer.body.data]).toEqual([200, { email: 'cem@example.org' }])
  expect(await codesOf(cem)).toEqual([])
})

test('a resend by a bot answers no_permission', async () => {
  const bot = await user({ bot_of: await user() })
  expect(told(await call(bot, 'POST', path))).toEqual([400, noPermission])
})

test('without a valid token a resend answers no_auth', async () => {
  await refusesStrangers('POST', path)
})
