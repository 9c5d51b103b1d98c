import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { watching } from '../../support/houses.ts'
import { codesOf, mailing, registered, smtp } from '../../support/mail.ts'
import { refusesStrangers } from '../../support/messages.ts'
import { otherApp } from '../../support/other-app.ts'
import { noPermission, required, told } from '../../support/permissions.ts'
import { codeIn } from '../../support/smtp.ts'
import { invalidCode } from '../../support/two-factor.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, failure, type Person, user } from '../../support/world.ts'

const path = '/users/@me/email'
const invalidCredentials = failure('invalid_credentials', 'The login or password is wrong')

test('the address changes when its code is verified, not before', async () => {
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

test('an account sends five mails an hour to addresses that it names, on all routes together', async () => {
  let time = Date.UTC(2026, 0, 1)
  const limited = await otherApp({ smtpUrl: smtp.url, rateLimit: true }, { now: () => time })
  const [mel, ned] = [await resident('mel'), await resident('ned')]
  const change = (person: Person, email: string) =>
    limited.call(person, 'PATCH', path, { email: `${email}@example.org`, password })
  // Requests refused for another reason do not count.
  expect(told(await change(mel, 'ned'))).toEqual([400, failure('email_taken', 'That email is already taken')])
  for (const n of [1, 2, 3, 4]) {
    expect((await change(mel, `foreign${n}`)).status).toBe(200)
    expect((await smtp.next()).to).toEqual([`foreign${n}@example.org`])
  }
  const resend = () => limited.call(mel, 'POST', '/auth/verify-email/resend')
  expect((await resend()).status).toBe(200)
  const code = codeIn(await smtp.next())
  for (const refused of [await change(mel, 'foreign5'), await resend()]) {
    const expires_at = time / 1000 + 720
    expect(told(refused)).toEqual([
      429,
      { ...failure('rate_limit', 'You are being rate limited'), expires_at },
    ])
    expect(refused.headers['retry-after']).toBe('720')
  }
  expect((await change(ned, 'foreign6')).status).toBe(200)
  expect((await smtp.next()).to).toEqual(['foreign6@example.org'])
  expect(smtp.mails).toEqual([])
  // The refused requests have not cancelled the last code.
  expect((await call(null, 'POST', '/auth/verify-email', { code })).status).toBe(200)
  time += 720_000
  expect((await change(mel, 'foreign7')).status).toBe(200)
  await smtp.next()
})

test('a change to the present, verified address sends nothing', async () => {
  const fay = await registered('fay')
  await call(null, 'POST', '/auth/verify-email', { code: fay.code })
  const answer = await mailing.call(fay, 'PATCH', path, { email: 'fay@example.org', password })
  expect([answer.status, answer.body.data]).toEqual([200, { email: 'fay@example.org' }])
  expect(smtp.mails).toEqual([])
  expect(await codesOf(fay)).toEqual([])
})

test('the present address receives a code if it is unverified or in another case', async () => {
  const gus = await registered('gus')
  for (const email of ['gus@example.org', 'GUS@example.org']) {
    const answer = await mailing.call(gus, 'PATCH', path, { email, password })
    expect([answer.status, answer.body.data]).toEqual([200, { email }])
    expect((await smtp.next()).to).toEqual([email])
  }
})

test('a wrong password, a taken address, wrong fields and bots are refused', async () => {
  const dan = await registered('dan')
  await user({ email: 'taken@example.org' })
  const bot = await user({ bot_of: dan })
  const change = { email: 'free@example.org', password }
  const cases: [Person, unknown, object][] = [
    [dan, undefined, required('email', 'password')],
    [dan, {}, required('email', 'password')],
    [dan, { ...change, email: 'x' }, required('email')],
    [dan, { ...change, password: 5 }, required('password')],
    [dan, { ...change, password: 'wrong one' }, invalidCredentials],
    [dan, { ...change, email: 'TAKEN@example.org' }, failure('email_taken', 'That email is already taken')],
    [bot, change, noPermission],
  ]
  for (const [caller, body, refusal] of cases) {
    expect(told(await call(caller, 'PATCH', path, body))).toEqual([400, refusal])
  }
  expect((await call(dan, 'GET', '/users/@me')).body.data.email).toBe('dan@example.org')
  expect((await call(null, 'POST', '/auth/verify-email', { code: dan.code })).status).toBe(200)
})

test('choosing the present address, or a password change, cancels a pending change', async () => {
  const ida = await registered('ida')
  await call(null, 'POST', '/auth/verify-email', { code: ida.code })
  const begin = async () => {
    await mailing.call(ida, 'PATCH', path, { email: 'typo@example.org', password })
    return { code: codeIn(await smtp.next()) }
  }
  const first = await begin()
  await mailing.call(ida, 'PATCH', path, { email: 'ida@example.org', password })
  expect(told(await call(null, 'POST', '/auth/verify-email', first))).toEqual([400, invalidCode])
  const second = await begin()
  await call(ida, 'PATCH', '/users/@me/password', { current: password, new: 'battery staple' })
  expect(told(await call(null, 'POST', '/auth/verify-email', second))).toEqual([400, invalidCode])
  expect((await call(ida, 'GET', '/users/@me')).body.data.email).toBe('ida@example.org')
})

test('a change of the address cancels reset codes sent to the former one', async () => {
  const jon = await registered('jon')
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: 'jon@example.org' })
  const reset = { code: codeIn(await smtp.next()), password: 'a new password' }
  await mailing.call(jon, 'PATCH', path, { email: 'jons@example.org', password })
  await call(null, 'POST', '/auth/verify-email', { code: codeIn(await smtp.next()) })
  expect(told(await call(null, 'POST', '/auth/reset-password', reset))).toEqual([400, invalidCode])
})

test('a change of case only keeps the reset code', async () => {
  const lea = await registered('lea')
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: 'lea@example.org' })
  const reset = { code: codeIn(await smtp.next()), password: 'a new password' }
  await mailing.call(lea, 'PATCH', path, { email: 'Lea@example.org', password })
  await call(null, 'POST', '/auth/verify-email', { code: codeIn(await smtp.next()) })
  expect((await call(lea, 'GET', '/users/@me')).body.data.email).toBe('Lea@example.org')
  expect((await call(null, 'POST', '/auth/reset-password', reset)).status).toBe(200)
})

test('a password that changes during the request is refused', async () => {
  const kim = await registered('kim')
  const [changing] = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${kim.id} for no key update`.execute(trx)
    const changing = mailing.call(kim, 'PATCH', path, { email: 'kims@example.org', password })
    await Promise.race([changing, untilWaiting(1)])
    await trx.updateTable('users').set({ password_hash: 'another' }).where('id', '=', kim.id).execute()
    return [changing]
  })
  expect(told(await changing)).toEqual([400, invalidCredentials])
})

test('without a valid token changing the address answers no_auth', async () => {
  await refusesStrangers('PATCH', path)
})
