import { afterAll, expect, test } from 'vitest'
import { password, resident } from '../support/accounts.ts'
import { otherApp } from '../support/other-app.ts'
import { codeIn, smtpServer } from '../support/smtp.ts'
import { call, db, failure, noAuth, published } from '../support/world.ts'

const smtp = await smtpServer()
const mailing = await otherApp({ smtpUrl: smtp.url })
afterAll(() => smtp.close())

test('a forgotten password is set anew by the code from the mail, once, and all sessions end', async () => {
  const ann = await resident('ann')
  const forgot = await mailing.call(null, 'POST', '/auth/forgot-password', { email: 'ANN@example.org' })
  expect(forgot.status).toBe(204)
  const code = codeIn(await smtp.next())
  published.length = 0
  const fields = { code, password: 'a new password' }
  const answer = await call(null, 'POST', '/auth/reset-password', fields)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ reset: true })
  expect(published).toEqual([{ type: 'sessions_ended', session_ids: [ann.session_id] }])
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  const again = await call(null, 'POST', '/auth/reset-password', fields)
  expect(again.body).toEqual(failure('invalid_code', 'That code is wrong or has expired'))
  const login = await call(null, 'POST', '/auth/login', { login: 'ann', password: 'a new password' })
  expect(login.status).toBe(200)
})

test('of two resets with one code one gets through', async () => {
  await resident('bob')
  await mailing.call(null, 'POST', '/auth/forgot-password', { email: 'bob@example.org' })
  const code = codeIn(await smtp.next())
  const answers = await Promise.all(
    ['first choice', 'second choice'].map((choice) =>
      call(null, 'POST', '/auth/reset-password', { code, password: choice }),
    ),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('forgetting a password answers 204 for every text, and sends nothing to strangers', async () => {
  for (const email of ['nobody@example.org', '', 'nonsense', 'nul\u0000@example.org']) {
    const answer = await mailing.call(null, 'POST', '/auth/forgot-password', { email })
    expect(answer.status).toBe(204)
    expect(answer.headers['content-type']).toBeUndefined()
  }
  expect(smtp.mails).toEqual([])
  expect(
    await db.selectFrom('account_codes').select('user_id').where('purpose', '=', 'reset_password').execute(),
  ).toEqual([])
  const answer = await call(null, 'POST', '/auth/forgot-password', { email: 5 })
  expect(answer.body).toEqual(failure('invalid_schema', 'Required fields (email) not met'))
})

test('without mail configured forgetting a password makes no code', async () => {
  await resident('cem')
  expect((await call(null, 'POST', '/auth/forgot-password', { email: 'cem@example.org' })).status).toBe(204)
  expect(await db.selectFrom('account_codes').select('user_id').execute()).toEqual([])
})

test('a reset names its wrong fields', async () => {
  const answer = await call(null, 'POST', '/auth/reset-password', { password: 'short' })
  expect(answer.body).toEqual(failure('invalid_schema', 'Required fields (code, password) not met'))
  const wrong = await call(null, 'POST', '/auth/reset-password', { code: 'x', password })
  expect(wrong.body).toEqual(failure('invalid_code', 'That code is wrong or has expired'))
})
