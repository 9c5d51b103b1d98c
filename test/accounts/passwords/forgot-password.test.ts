import { expect, test } from 'vitest'
import { issueResetCode } from '../../../src/accounts/codes/operations.ts'
import { resident } from '../../support/accounts.ts'
import { codesOf, expectLifetime, mailingApp } from '../../support/mail.ts'
import { otherApp } from '../../support/other-app.ts'
import { required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import { codeIn, linkedCodeIn } from '../../support/smtp.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, uniqueName } from '../../support/world.ts'

const { mailing, smtp } = await mailingApp()

const path = '/auth/forgot-password'

test('a known address in any case receives a code, which cancels the earlier one', async () => {
  const ann = await resident('ann')
  const codes: string[] = []
  const before = Date.now()
  for (const email of [ann.email, ann.email.toUpperCase()]) {
    const answer = await mailing.call(null, 'POST', path, { email })
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined])
    codes.push(codeIn(await smtp.next(ann.email)))
  }
  expect(publishedAbout(ann.id)).toEqual([])
  expect(await codesOf(ann)).toEqual(['reset_password'])
  await expectLifetime(ann, 60, before)
  const reset = (code: string) =>
    call(null, 'POST', '/auth/reset-password', { code, password: 'a new password' })
  expect((await reset(codes[0]!)).status).toBe(400)
  expect((await reset(codes[1]!)).status).toBe(200)
})

test('forgot-password answers 204 for every text, and mails known addresses only', async () => {
  const nobody = `${uniqueName('nobody')}@example.org`
  for (const email of [nobody, '', 'nonsense', 'nul\u0000@example.org', '\ud800']) {
    const answer = await mailing.call(null, 'POST', path, { email })
    expect(answer.status).toBe(204)
    expect(answer.headers['content-type']).toBeUndefined()
  }
  const ann = await resident('ann')
  await mailing.call(null, 'POST', path, { email: ann.email })
  await smtp.next(ann.email)
  expect(smtp.mails).toEqual([])
})

test('an account receives five mails an hour, which no response discloses', async () => {
  const limited = await otherApp({ smtpUrl: smtp.url, rateLimit: true }, { now: () => 0 })
  const dan = await resident('dan')
  const codes: string[] = []
  for (let n = 1; n <= 7; n += 1) {
    const from = { remoteAddress: `10.1.0.${n}` }
    expect((await limited.call(null, 'POST', path, { email: dan.email }, from)).status).toBe(204)
    if (n <= 5) codes.push(codeIn(await smtp.next(dan.email)))
  }
  expect(smtp.mailsTo(dan.email)).toEqual([])
  const reset = { code: codes.at(-1), password: 'a new password' }
  expect((await call(null, 'POST', '/auth/reset-password', reset)).status).toBe(200)
})

test('the mail names the server and the account, and leads to the page for the code', async () => {
  const eva = await resident('eva')
  await mailing.call(null, 'POST', path, { email: eva.email })
  const mail = await smtp.next(eva.email)
  const { text } = mail
  expect(text).toContain('Subject: Set a new password for hearth.test')
  expect(text).toContain(`"${eva.username}" on http://hearth.test`)
  expect(linkedCodeIn(mail, '/app/new-password')).toMatch(/^[0-9a-f]{32}$/)
})

test('a server without the web client sends no link', async () => {
  const plain = await otherApp({ smtpUrl: smtp.url, web: false })
  const eva = await resident('eva')
  await plain.call(null, 'POST', path, { email: eva.email })
  const mail = await smtp.next(eva.email)
  expect([mail.text, mail.html].join()).not.toContain('/app/')
  const reset = { code: codeIn(mail), password: 'a new password' }
  expect((await call(null, 'POST', '/auth/reset-password', reset)).status).toBe(200)
})

test('an address that changes while a code is made for it gets none', async () => {
  const fay = await resident('fay')
  const [made] = await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('users')
      .set({ email: `new.${fay.email}` })
      .where('id', '=', fay.id)
      .execute()
    const made = issueResetCode(db, fay.id, fay.email)
    await untilWaiting(1)
    return [made]
  })
  expect(await made).toBeUndefined()
  expect(await codesOf(fay)).toEqual([])
  expect(await issueResetCode(db, fay.id, `New.${fay.email}`)).toMatchObject({ email: `New.${fay.email}` })
})

test('without mail forgot-password creates no code', async () => {
  const cem = await resident('cem')
  expect((await call(null, 'POST', path, { email: cem.email })).status).toBe(204)
  expect(await codesOf(cem)).toEqual([])
})

test('a missing or non-text address answers invalid_schema', async () => {
  for (const body of [undefined, {}, { email: 5 }, { email: null }]) {
    expect(told(await call(null, 'POST', path, body))).toEqual([400, required('email')])
  }
})
