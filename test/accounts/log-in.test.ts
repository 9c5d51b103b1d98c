import { parseOptions } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { hashPassword, unknownUserHash } from '../../src/auth/passwords.ts'
import { password, resident } from '../support/accounts.ts'
import { publishedAbout } from '../support/published.ts'
import { untilWaiting } from '../support/waiting.ts'
import { call, db, failure, uniqueName, user } from '../support/world.ts'

const wrong = failure('invalid_credentials', 'The login or password is wrong')

test('login by username or e-mail address, in any case, returns a new token and sends no event', async () => {
  const ann = await resident('ann')
  const { username, email } = ann
  const tokens = new Set([ann.token])
  const logins = [username, username.toUpperCase(), `@${username}`, email, `${username}@Example.ORG`]
  for (const login of logins) {
    const answer = await call(null, 'POST', '/auth/login', { login, password, captcha: null })
    expect(answer.status).toBe(200)
    expect(answer.body.data.user).toMatchObject({ id: ann.id, email })
    expect(Object.keys(answer.body.data.user)).toHaveLength(13)
    tokens.add(answer.body.data.token)
  }
  expect(tokens.size).toBe(logins.length + 1)
  const sessions = await db.selectFrom('sessions').select('id').where('user_id', '=', ann.id).execute()
  expect(sessions).toHaveLength(logins.length + 1)
  expect(publishedAbout(ann.id, ann.session_id)).toEqual([])
})

test('a password that changes while a login waits is refused', async () => {
  const gil = await resident('gil')
  const password_hash = await hashPassword('another one', gil)
  const [loggingIn] = await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ password_hash }).where('id', '=', gil.id).execute()
    const loggingIn = call(null, 'POST', '/auth/login', { login: gil.username, password })
    await untilWaiting(1)
    return [loggingIn]
  })
  expect((await loggingIn!).body.error.code).toBe('invalid_credentials')
})

test('a disabled account says so to extended clients alone, after the right password', async () => {
  const hal = await resident('hal')
  await db.updateTable('users').set({ disabled: true }).where('id', '=', hal.id).execute()
  const logIn = (query: string, fields: object) =>
    call(null, 'POST', `/auth/login${query}`, { login: hal.username, password, ...fields })
  expect((await logIn('', {})).body).toEqual(wrong)
  expect((await logIn('?extended=false', {})).body).toEqual(wrong)
  expect((await logIn('?extended=true', { password: 'wrong horse' })).body).toEqual(wrong)
  const said = await logIn('?extended=true', {})
  expect([said.status, said.body]).toEqual([400, failure('account_disabled', 'That account is disabled')])
  expect((await logIn('?extended=maybe', {})).body.error.message).toBe('Invalid fields (extended)')
})

test('a wrong name, a wrong password, a bot and a blank password all answer invalid_credentials', async () => {
  const ann = await resident('ann')
  const bot = await user({ bot_of: ann })
  const nobody = uniqueName('nobody')
  const tries = [
    { login: ann.username, password: 'wrong horse' },
    { login: ann.username, password: '' },
    { login: nobody, password },
    { login: '', password },
    { login: `${nobody}@example.org`, password },
    { login: bot.username, password: '' },
    { login: bot.username, password },
  ]
  for (const body of tries) {
    const answer = await call(null, 'POST', '/auth/login', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(wrong)
  }
})

test('an unknown login costs the same hash as a known one', async () => {
  expect(parseOptions(unknownUserHash)).toEqual(parseOptions(await hashPassword(password, { address: '' })))
})

test('logins with unknown names from one address do not delay another address', async () => {
  const ann = await resident('ann')
  let answered = 0
  const invented = Array.from({ length: 30 }, async (_, number) => {
    const body = { login: `invented_${number}`, password }
    const { status } = await call(null, 'POST', '/auth/login', body, { remoteAddress: '192.0.2.1' })
    if (status === 400) answered += 1
    return status
  })
  await expect.poll(() => answered).toBeGreaterThan(0)
  const before = answered
  const body = { login: ann.username, password }
  const login = await call(null, 'POST', '/auth/login', body, { remoteAddress: '192.0.2.2' })
  expect(login.status).toBe(200)
  // In order of arrival, all of them would precede this login.
  expect(answered - before).toBeLessThan(10)
  expect(new Set(await Promise.all(invented))).toEqual(new Set([400]))
})

test('missing and wrong fields answer invalid_schema with their names', async () => {
  const cases: [unknown, string][] = [
    [{}, 'Required fields (login, password) not met'],
    [{ login: 'ann', password: 5 }, 'Required fields (password) not met'],
    [{ login: 'a\u0000', password }, 'Required fields (login) not met'],
    [{ login: 'ann', password, code: null }, 'Invalid fields (code)'],
  ]
  for (const [body, message] of cases) {
    const answer = await call(null, 'POST', '/auth/login', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('invalid_schema', message))
  }
})

test('a login answers unavailable when too many hashes wait', async () => {
  const body = { login: (await resident()).username, password: 'wrong one' }
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => call(null, 'POST', '/auth/login', body)),
  )
  const refused = answers.filter((answer) => answer.status === 503)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]!.body.error.code).toBe('unavailable')
  expect(refused[0]!.headers['retry-after']).toBe('1')
  expect(answers.filter((answer) => answer.status === 400).length).toBeGreaterThanOrEqual(60)
})
