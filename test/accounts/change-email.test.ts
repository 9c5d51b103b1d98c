import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { watching } from '../support/houses.ts'
import { codesOf, mailing, registered, smtp } from '../support/mail.ts'
import { refusesStrangers } from '../support/messages.ts'
import { noPermission, required, told } from '../support/permissions.ts'
import { codeIn } from '../support/smtp.ts'
import { invalidCode } from '../support/two-factor.ts'
import { call, failure, type Person, user } from '../support/world.ts'

const path = '/users/@me/email'

test('the address changes when the code sent to the new one comes back, and not before', async () => {
  const cem = await registered('cem')
  const change = { email: 'new@example.org', password }
  const { answer, events } = await watching(() => mailing.call(cem, 'PATCH', path, change))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ email: 'new@example.org' })
  expect(events).toEqual([])
  const mail = await smtp.next()
  expect(mail.to).toEqual(['new@example.org'])
  expect((await call(cem, 'GET', '/users/@me')).body.data.email).toBe('cem@example.org')
  expect(await codesOf(cem)).toEqual(['verify_email'])
  const old = await call(null, 'POST', '/auth/verify-email', { code: cem.code })
  expect(told(old)).toEqual([400, invalidCode])
  await call(null, 'POST', '/auth/verify-email', { code: codeIn(mail) })
  const { email, email_verified } = (await call(cem, 'GET', '/users/@me')).body.data
  expect({ email, email_verified }).toEqual({ email: 'new@example.org', email_verified: true })
})

test('changing to the present, proven address sends nothing', async () => {
  const fay = await registered('fay')
  await call(null, 'POST', '/auth/verify-email', { code: fay.code })
  const answer = await mailing.call(fay, 'PATCH', path, { email: 'fay@example.org', password })
  expect([answer.status, answer.body.data]).toEqual([200, { email: 'fay@example.org' }])
  expect(smtp.mails).toEqual([])
  expect(await codesOf(fay)).toEqual([])
})

test('the present address is sent a code where it is not proven yet, or is written in another case', async () => {
  const gus = await registered('gus')
  for (const email of ['gus@example.org', 'GUS@example.org']) {
    const answer = await mailing.call(gus, 'PATCH', path, { email, password })
    expect([answer.status, answer.body.data]).toEqual([200, { email }])
    expect((await smtp.next()).to).toEqual([email])
  }
})

test('changing the address refuses a wrong password, a taken address, wrong fields and bots', async () => {
  const dan = await registered('dan')
  await user({ email: 'taken@example.org' })
  const bot = await user({ bot_of: dan })
  const change = { email: 'free@example.org', password }
  const cases: [Person, unknown, object][] = [
    [dan, undefined, required('email', 'password')],
    [dan, {}, required('email', 'password')],
    [dan, { ...change, email: 'x' }, required('email')],
    [dan, { ...change, password: 5 }, required('password')],
    [
      dan,
      { ...change, password: 'wrong one' },
      failure('invalid_credentials', 'The login or password is wrong'),
    ],
    [dan, { ...change, email: 'TAKEN@example.org' }, failure('email_taken', 'That email is already taken')],
    [bot, change, noPermission],
  ]
  for (const [caller, body, refusal] of cases) {
    expect(told(await call(caller, 'PATCH', path, body))).toEqual([400, refusal])
  }
  expect((await call(dan, 'GET', '/users/@me')).body.data.email).toBe('dan@example.org')
  expect((await call(null, 'POST', '/auth/verify-email', { code: dan.code })).status).toBe(200)
})

test('without a token, or with a faulty one, changing the address answers no_auth', async () => {
  await refusesStrangers('PATCH', path)
})
