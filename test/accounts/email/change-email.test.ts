import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { codesOf, mailingApp } from '../../support/mail.ts'
import { otherApp } from '../../support/other-app.ts'
import { noPermission, required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import { codeIn } from '../../support/smtp.ts'
import { invalidCode } from '../../support/two-factor.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, failure, type Person, uniqueName, user } from '../../support/world.ts'

const { mailing, registered, smtp } = await mailingApp()

const path = '/users/@me/email'
const invalidCredentials = failure('invalid_credentials', 'The login or password is wrong')
const newEmail = () => `${uniqueName('new')}@example.org`

test('the address changes when its code is verified, not before', async () => {
  const cem = await registered('cem')
  const wanted = newEmail()
  const answer = await mailing.call(cem, 'PATCH', path, { email: wanted, password })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ email: wanted })
  expect(publishedAbout(cem.id)).toEqual([])
  const mail = await smtp.next(wanted)
  expect((await call(cem, 'GET', '/users/@me')).body.data.email).toBe(cem.email)
  expect(await codesOf(cem)).toEqual(['verify_email'])
  const old = await call(null, 'POST', '/auth/verify-email', { code: cem.code })
  expect(told(old)).toEqual([400, invalidCode])
  await call(null, 'POST', '/auth/verify-email', { code: codeIn(mail) })
  const { email, email_verified } = (await call(cem, 'GET', '/users/@me')).body.data
  expect({ email, email_verified }).toEqual({ email: wanted, email_verified: true })
})

test('an account sends five mails an hour to addresses that it names, on all routes together', async () => {
  let time = Date.UTC(2026, 0, 1)
  const limited = await otherApp({ smtpUrl: smtp.url, rateLimit: true }, { now: () => time })
  const [mel, ned] = [await resident('mel'), await resident('ned')]
  const change = (person: Person, email: string) => limited.call(person, 'PATCH', path, { email, password })
  // Requests refused for another reason do not count.
  expect(told(await change(mel, ned.email))).toEqual([
    400,
    failure('email_taken', 'That email is already taken'),
  ])
  let last = ''
  for (let n = 0; n < 4; n += 1) {
    last = newEmail()
    expect((await change(mel, last)).status).toBe(200)
    await smtp.next(last)
  }
  const resend = () => limited.call(mel, 'POST', '/auth/verify-email/resend')
  expect((await resend()).status).toBe(200)
  const code = codeIn(await smtp.next(last))
  const refusedEmail = newEmail()
  for (const refused of [await change(mel, refusedEmail), await resend()]) {
    const expires_at = time / 1000 + 720
    expect(told(refused)).toEqual([
      429,
      { ...failure('rate_limit', 'You are being rate limited'), expires_at },
    ])
    expect(refused.headers['retry-after']).toBe('720')
  }
  const ofNed = newEmail()
  expect((await change(ned, ofNed)).status).toBe(200)
  await smtp.next(ofNed)
  expect([...smtp.mailsTo(refusedEmail), ...smtp.mailsTo(last)]).toEqual([])
  // The refused requests have not cancelled the last code.
  expect((await call(null, 'POST', '/auth/verify-email', { code })).status).toBe(200)
  time += 720_000
  const later = newEmail()
  expect((await change(mel, later)).status).toBe(200)
  await smtp.next(later)
})

test('a change to the present, verified address sends nothing', async () => {
  const fay = await registered('fay')
  await call(null, 'POST', '/auth/verify-email', { code: fay.code })
  const answer = await mailing.call(fay, 'PATCH', path, { email: fay.email, password })
  expect([answer.status, answer.body.data]).toEqual([200, { email: fay.email }])
  expect(smtp.mailsTo(fay.email)).toEqual([])
  expect(await codesOf(fay)).toEqual([])
})

test('the present address receives a code if it is unverified or in another case', async () => {
  const gus = await registered('gus')
  for (const email of [gus.email, gus.email.replace('gus', 'GUS')]) {
    const answer = await mailing.call(gus, 'PATCH', path, { email, password })
    expect([answer.status, answer.body.data]).toEqual([200, { email }])
    await smtp.next(email)
  }
})

test('a wrong password, a taken address, wrong fields and bots are refused', async () => {
  const dan = await registered('dan')
  const taken = await resident('taken')
  const bot = await user({ bot_of: dan })
  const change = { email: newEmail(), password }
  const cases: [Person, unknown, object][] = [
    [dan, undefined, required('email', 'password')],
    [dan, {}, required('email', 'password')],
    [dan, { ...change, email: 'x' }, required('email')],
    [dan, { ...change, password: 5 }, required('password')],
    [dan, { ...change, password: 'wrong one' }, invalidCredentials],
    [
      dan,
      { ...change, email: taken.email.toUpperCase() },
      failure('email_taken', 'That email is already taken'),
    ],
    [bot, change, noPermission],
  ]
  for (const [caller, body, refusal] of cases) {
    expect(told(await call(caller, 'PATCH', path, body))).toEqual([400, refusal])
  }
  expect((await call(dan, 'GET', '/users/@me')).body.data.email).toBe(dan.email)
  expect((await call(null, 'POST', '/auth/verify-email', { code: dan.code })).status).toBe(200)
})

test('choosing the present address, or a password change, cancels a pending change', async () => {
  const ida = await registered('ida')
  await call(null, 'POST', '/auth/verify-email', { code: ida.code })
  const begin = async () => {
    const typo = newEmail()
    await mailing.call(ida, 'PATCH', path, { email: typo, password })
    return { code: codeIn(await smtp.next(typo)) }
  }
  const first = await begin()
  await mailing.call(ida, 'PATCH', path, { email: ida.email, password })
  expect(told(await call(null, 'POST', '/auth/verify-email', first))).toEqual([400, invalidCode])
  const second = await begin()
  await call(ida, 'PATCH', '/users/@me/password', { current: password, new: 'battery staple' })
  expect(told(await call(null, 'POST', '/auth/verify-email', second))).toEqual([400, invalidCode])
  expect((await call(ida, 'GET', '/users/@me')).body.data.email).toBe(ida.email)
})

test('a change of the address cancels reset codes sent to the former one', async () => {
  const jon = await registered('jon')
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: jon.email })
  const reset = { code: codeIn(await smtp.next(jon.email)), password: 'a new password' }
  const other = newEmail()
  await mailing.call(jon, 'PATCH', path, { email: other, password })
  await call(null, 'POST', '/auth/verify-email', { code: codeIn(await smtp.next(other)) })
  expect(told(await call(null, 'POST', '/auth/reset-password', reset))).toEqual([400, invalidCode])
})

test('a change of case only keeps the reset code', async () => {
  const lea = await registered('lea')
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: lea.email })
  const reset = { code: codeIn(await smtp.next(lea.email)), password: 'a new password' }
  const email = lea.email.replace('lea', 'Lea')
  await mailing.call(lea, 'PATCH', path, { email, password })
  await call(null, 'POST', '/auth/verify-email', { code: codeIn(await smtp.next(email)) })
  expect((await call(lea, 'GET', '/users/@me')).body.data.email).toBe(email)
  expect((await call(null, 'POST', '/auth/reset-password', reset)).status).toBe(200)
})

test('a password that changes during the request is refused', async () => {
  const kim = await registered('kim')
  const [changing] = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${kim.id} for no key update`.execute(trx)
    const changing = mailing.call(kim, 'PATCH', path, { email: newEmail(), password })
    await Promise.race([changing, untilWaiting(1)])
    await trx.updateTable('users').set({ password_hash: 'another' }).where('id', '=', kim.id).execute()
    return [changing]
  })
  expect(told(await changing)).toEqual([400, invalidCredentials])
})
