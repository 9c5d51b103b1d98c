import { afterAll, expect, test } from 'vitest'
import { issueCode } from '../../src/accounts/code-operations.ts'
import { password } from '../support/accounts.ts'
import { otherApp } from '../support/other-app.ts'
import { codeIn, smtpServer } from '../support/smtp.ts'
import { call, db, failure, noAuth, type Person, published, user } from '../support/world.ts'

const smtp = await smtpServer()
const mailing = await otherApp({ smtpUrl: smtp.url })
afterAll(() => smtp.close())
const invalidCode = failure('invalid_code', 'That code is wrong or has expired')

async function registered(username: string): Promise<Person & { code: string }> {
  const fields = { email: `${username}@example.org`, username, password }
  const { token, user: made } = (await mailing.call(null, 'POST', '/auth/register', fields)).body.data
  const mail = await smtp.next()
  expect(mail.to).toEqual([fields.email])
  expect(mail.from).toContain('hearth@hearth.test')
  return { id: made.id, username, token, session_id: '', code: codeIn(mail) }
}

test('registering sends a code, which proves the address once', async () => {
  const ann = await registered('ann')
  published.length = 0
  const answer = await call(null, 'POST', '/auth/verify-email', { code: ann.code })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: { email_verified: true } })
  expect(published).toEqual([{ type: 'user_updated', user_id: ann.id, only_self: true }])
  expect((await call(ann, 'GET', '/users/@me')).body.data.email_verified).toBe(true)
  expect((await call(null, 'POST', '/auth/verify-email', { code: ann.code })).body).toEqual(invalidCode)
  expect(await db.selectFrom('account_codes').select('user_id').execute()).toEqual([])
})

test('a code is asked for again; the newer cancels the older; nothing is sent once the address is proven', async () => {
  const bob = await registered('bob')
  const again = await mailing.call(bob, 'POST', '/auth/verify-email/resend')
  expect(again.body.data).toEqual({ email: 'bob@example.org' })
  const newer = codeIn(await smtp.next())
  expect((await call(null, 'POST', '/auth/verify-email', { code: bob.code })).body).toEqual(invalidCode)
  expect((await call(null, 'POST', '/auth/verify-email', { code: newer })).status).toBe(200)
  const after = await mailing.call(bob, 'POST', '/auth/verify-email/resend')
  expect(after.body.data).toEqual({ email: 'bob@example.org' })
  expect(smtp.mails).toEqual([])
})

test('the address changes when the code sent to the new one comes back, and not before', async () => {
  const cem = await registered('cem')
  const change = { email: 'new@example.org', password }
  const answer = await mailing.call(cem, 'PATCH', '/users/@me/email', change)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ email: 'new@example.org' })
  const mail = await smtp.next()
  expect(mail.to).toEqual(['new@example.org'])
  expect((await call(cem, 'GET', '/users/@me')).body.data.email).toBe('cem@example.org')
  await call(null, 'POST', '/auth/verify-email', { code: codeIn(mail) })
  const { email, email_verified } = (await call(cem, 'GET', '/users/@me')).body.data
  expect({ email, email_verified }).toEqual({ email: 'new@example.org', email_verified: true })
})

test('changing the address refuses a wrong password, a taken address, wrong fields and bots', async () => {
  const dan = await registered('dan')
  await user({ email: 'taken@example.org' })
  const bot = await user({ bot_of: dan })
  const change = { email: 'free@example.org', password }
  const cases: [Person | null, unknown, object][] = [
    [null, change, noAuth],
    [dan, {}, failure('invalid_schema', 'Required fields (email, password) not met')],
    [dan, { ...change, email: 'x' }, failure('invalid_schema', 'Required fields (email) not met')],
    [
      dan,
      { ...change, password: 'wrong one' },
      failure('invalid_credentials', 'The login or password is wrong'),
    ],
    [dan, { ...change, email: 'TAKEN@example.org' }, failure('email_taken', 'That email is already taken')],
    [bot, change, failure('no_permission', 'You do not have permission to do this')],
  ]
  for (const [caller, body, refusal] of cases) {
    const answer = await call(caller, 'PATCH', '/users/@me/email', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(refusal)
  }
})

test('an address that somebody else has taken meanwhile is not proven by the code', async () => {
  const eve = await registered('eve')
  const { code } = await issueCode(db, eve.id, 'verify_email', 'late@example.org')
  await user({ email: 'late@example.org' })
  expect((await call(null, 'POST', '/auth/verify-email', { code })).body).toEqual(invalidCode)
})

test('an old code, a wrong code and no code are refused', async () => {
  const fay = await registered('fay')
  await db
    .updateTable('account_codes')
    .set({ expires_at: new Date(0) })
    .where('user_id', '=', fay.id)
    .execute()
  for (const code of [fay.code, 'nonsense']) {
    expect((await call(null, 'POST', '/auth/verify-email', { code })).body).toEqual(invalidCode)
  }
  const answer = await call(null, 'POST', '/auth/verify-email', { code: 5 })
  expect(answer.body).toEqual(failure('invalid_schema', 'Required fields (code) not met'))
})

test('asking for a code again is refused to bots and without a token', async () => {
  const bot = await user({ bot_of: await user() })
  const answer = await call(bot, 'POST', '/auth/verify-email/resend')
  expect(answer.body).toEqual(failure('no_permission', 'You do not have permission to do this'))
  expect((await call(null, 'POST', '/auth/verify-email/resend')).body).toEqual(noAuth)
})
