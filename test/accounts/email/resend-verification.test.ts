import { expect, test } from 'vitest'
import { password } from '../../support/accounts.ts'
import { codesOf, mailingApp } from '../../support/mail.ts'
import { noPermission, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import { codeIn, linkedCodeIn } from '../../support/smtp.ts'
import { invalidCode } from '../../support/two-factor.ts'
import { call, db, uniqueName, user } from '../../support/world.ts'

const { mailing, registered, smtp } = await mailingApp()

const path = '/auth/verify-email/resend'

function expireCodes({ id }: { id: string }) {
  const expires_at = new Date(0)
  return db.updateTable('account_codes').set({ expires_at }).where('user_id', '=', id).execute()
}

test('a resent code cancels the earlier one; a verified address receives none', async () => {
  const bob = await registered('bob')
  const again = await mailing.call(bob, 'POST', path)
  expect(again.status).toBe(200)
  expect(again.body.data).toEqual({ email: bob.email })
  expect(publishedAbout(bob.id)).toEqual([])
  const mail = await smtp.next(bob.email)
  const { text } = mail
  expect(text).toContain('Subject: Confirm your e-mail address for hearth.test')
  expect(text).toContain(`"${bob.username}" on http://hearth.test`)
  const linked = linkedCodeIn(mail, '/app/confirm-email')
  expect(await codesOf(bob)).toEqual(['verify_email'])
  const newer = codeIn(mail)
  expect((await call(null, 'POST', '/auth/verify-email', { code: bob.code })).body).toEqual(invalidCode)
  expect((await call(null, 'POST', '/auth/verify-email', { code: newer })).status).toBe(200)
  expect((await call(null, 'POST', '/auth/verify-email', { code: linked })).body).toEqual(invalidCode)
  const after = await mailing.call(bob, 'POST', path)
  expect(after.body.data).toEqual({ email: bob.email })
  expect(smtp.mailsTo(bob.email)).toEqual([])
  expect(await codesOf(bob)).toEqual([])
})

test('a resent code has its full validity, and a reset code causes no resend', async () => {
  const dan = await registered('dan')
  await expireCodes(dan)
  await mailing.call(dan, 'POST', path)
  const code = codeIn(await smtp.next(dan.email))
  expect((await call(null, 'POST', '/auth/verify-email', { code })).status).toBe(200)
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: dan.email })
  await smtp.next(dan.email)
  await mailing.call(dan, 'POST', path)
  expect(smtp.mailsTo(dan.email)).toEqual([])
  expect(await codesOf(dan)).toEqual(['reset_password'])
})

test('a resend goes to the requested address until its code has expired', async () => {
  const eve = await registered('eve')
  await call(null, 'POST', '/auth/verify-email', { code: eve.code })
  const email = `${uniqueName('new')}@example.org`
  await mailing.call(eve, 'PATCH', '/users/@me/email', { email, password })
  await smtp.next(email)
  expect((await mailing.call(eve, 'POST', path)).body.data).toEqual({ email })
  await smtp.next(email)
  await expireCodes(eve)
  expect((await mailing.call(eve, 'POST', path)).body.data).toEqual({ email: eve.email })
  expect([...smtp.mailsTo(email), ...smtp.mailsTo(eve.email)]).toEqual([])
})

test('without mail the address is returned, and no code created', async () => {
  const cem = await user()
  const answer = await call(cem, 'POST', path, {})
  expect([answer.status, answer.body.data]).toEqual([200, { email: `${cem.username}@example.org` }])
  expect(await codesOf(cem)).toEqual([])
})

test('a resend by a bot answers no_permission', async () => {
  const bot = await user({ bot_of: await user() })
  expect(told(await call(bot, 'POST', path))).toEqual([400, noPermission])
})
