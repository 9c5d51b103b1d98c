import { expect, test, vi } from 'vitest'
import { password } from '../support/accounts.ts'
import { mailingApp } from '../support/mail.ts'
import { codeIn } from '../support/smtp.ts'
import { codeOf, totpPath } from '../support/two-factor.ts'
import { admin, type Person, uniqueName } from '../support/world.ts'

const { smtp, mailing, registered } = await mailingApp()
const { call } = mailing

type Account = Person & { email: string }

/** The subject of the next mail to an account. Expects the mail to name the account and to say what to do. */
async function nextNotice({ email, username }: Account): Promise<string> {
  const { text } = await smtp.next(email)
  expect(text).toContain(`your account "${username}" on http://hearth.test`)
  expect(text).toContain('If it was not you: ')
  return /^Subject: (.*) \(hearth\.test\)$/m.exec(text)![1]!
}

async function withTotp(begin: string) {
  const person = await registered(begin)
  const { secret } = (await call(person, 'POST', totpPath, { password })).body.data
  const answer = await call(person, 'POST', `${totpPath}/enable`, { code: codeOf(secret, -1) })
  expect(await nextNotice(person)).toBe('Two-factor authentication was enabled')
  return { ...person, secret, backup_codes: answer.body.data.backup_codes as string[] }
}

test('a changed password is told by mail, a refused change is not', async () => {
  const ann = await registered('ann')
  const change = (current: string) =>
    call(ann, 'PATCH', '/users/@me/password', { current, new: 'battery staple' })
  expect((await change('wrong one')).status).toBe(400)
  expect((await change(password)).status).toBe(200)
  expect(await nextNotice(ann)).toBe('Your password was changed')
  expect(smtp.mailsTo(ann.email)).toEqual([])
})

test('a reset password is told by mail', async () => {
  const ann = await registered('ann')
  await call(null, 'POST', '/auth/forgot-password', { email: ann.email })
  const code = codeIn(await smtp.next(ann.email))
  expect(
    (await call(null, 'POST', '/auth/reset-password', { code, password: 'battery staple' })).status,
  ).toBe(200)
  expect(await nextNotice(ann)).toBe('Your password was reset')
})

test('a new e-mail address is told to the old one; its first confirmation is not', async () => {
  const ann = await registered('ann')
  expect((await call(null, 'POST', '/auth/verify-email', { code: ann.code })).status).toBe(200)
  const email = `${uniqueName('elsewhere')}@example.org`
  await call(ann, 'PATCH', '/users/@me/email', { email, password })
  const code = codeIn(await smtp.next(email))
  expect((await call(null, 'POST', '/auth/verify-email', { code })).status).toBe(200)
  const mail = await smtp.next(ann.email)
  expect(mail.text).toContain('Subject: Your e-mail address was changed')
  // A reader of the old mailbox need not learn the new address.
  expect(mail.text).not.toContain(email)
  expect(smtp.mailsTo(email)).toEqual([])
})

test('enabling, using a backup code and disabling are told by mail', async () => {
  const ann = await withTotp('ann')
  const logIn = (code: string) => call(null, 'POST', '/auth/login', { login: ann.username, password, code })
  expect((await logIn(codeOf(ann.secret))).status).toBe(200)
  expect((await logIn('wrong')).status).toBe(400)
  expect((await logIn(ann.backup_codes[0]!)).status).toBe(200)
  expect(await nextNotice(ann)).toBe('A backup code was used')
  expect((await call(ann, 'DELETE', totpPath, { password })).status).toBe(200)
  expect(await nextNotice(ann)).toBe('Two-factor authentication was disabled')
  expect(smtp.mailsTo(ann.email)).toEqual([])
})

test('two-factor authentication that an admin disables is told by mail, once', async () => {
  const [ann, root] = [await withTotp('ann'), await admin()]
  for (let n = 0; n < 2; n += 1) {
    const answer = await call(root, 'PATCH', `/admin/users/${ann.id}`, { mfa_enabled: false })
    expect(answer.status).toBe(200)
  }
  await call(ann, 'PATCH', '/users/@me/password', { current: password, new: 'battery staple' })
  const subjects = [await nextNotice(ann), await nextNotice(ann)]
  expect(subjects).toEqual(['Two-factor authentication was disabled', 'Your password was changed'])
})

test('an account gets five such mails an hour', async () => {
  const limited = await mailingApp({ rateLimit: true })
  const ann = await registered('ann')
  const change = () =>
    limited.mailing.call(ann, 'PATCH', '/users/@me/password', { current: password, new: password })
  for (let n = 0; n < 7; n += 1) expect((await change()).status).toBe(200)
  await vi.waitUntil(() => limited.smtp.mailsTo(ann.email).length >= 5)
  await limited.mailing.app.mails!.stop()
  expect(limited.smtp.mailsTo(ann.email)).toHaveLength(5)
})
