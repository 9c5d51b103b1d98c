import { expect, test, vi } from 'vitest'
import { mailingApp } from '../support/mail.ts'
import { usernameTaken } from '../support/own-user.ts'
import { told } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { failing } from '../support/statements.ts'
import { call, db, failure, uniqueName, user } from '../support/world.ts'

const { mailing } = await mailingApp()

const password = 'correct horse'
const good = { email: 'Ann@Example.org', username: 'Ann.A', password }
const emailTaken = failure('email_taken', 'That email is already taken')

/** What a newcomer of a name that nobody has sends. */
function newcomer(begin: string) {
  const username = uniqueName(begin)
  return { email: `${username}@example.org`, username, password }
}

test('registration returns the full user and a token that works', async () => {
  const headers = { 'user-agent': 'Client/1 \u0001', authorization: 'nonsense' }
  const { username } = newcomer('ann.a')
  const email = `Ann.A@${username}.Example.org`
  const body = { email, username: username.replace('ann.a', 'Ann.A'), password, captcha: 1 }
  const answer = await call(null, 'POST', '/auth/register', body, { headers })
  expect(answer.status).toBe(200)
  const { token, user: ann } = answer.body.data
  expect(token).toMatch(/^[0-9a-f]{128}$/)
  expect(answer.body.data).toEqual({
    token,
    user: {
      id: ann.id,
      name: username,
      username,
      icon: null,
      header: null,
      flags: 0,
      bot: false,
      location: '',
      website: '',
      bio: '',
      email,
      email_verified: false,
      mfa_enabled: false,
    },
  })
  const own = await call(null, 'GET', '/users/@me', undefined, { headers: { authorization: token } })
  expect(own.body.data).toEqual(ann)
  expect(publishedAbout(ann.id)).toEqual([])
})

test('registration stores hashes only, and the client and address of the session', async () => {
  const body = { ...newcomer('kept'), name: 'Kept' }
  const headers = { 'user-agent': `Client ${'x'.repeat(300)}` }
  const answer = await call(null, 'POST', '/auth/register', body, { headers })
  const { id, name } = answer.body.data.user
  expect(name).toBe('Kept')
  const account = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(account.password_hash).toMatch(/^\$argon2id\$/)
  const session = await db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow()
  expect(session.client).toBe(headers['user-agent'].slice(0, 256))
  expect(session.address).toBe('127.0.0.1')
  expect(session.token_hash).toHaveLength(32)
})

test('registration succeeds if creating the verification code fails', async () => {
  const creation = /into account_codes/
  const isCreation = vi.spyOn(creation, 'test')
  await failing(creation, async () => {
    const answer = await mailing.call(null, 'POST', '/auth/register', newcomer('codeless'))
    expect(answer.status).toBe(200)
    expect(answer.body.data.token).toMatch(/^[0-9a-f]{128}$/)
    await expect.poll(() => isCreation.mock.results.map(({ value }) => value)).toContain(true)
  })
})

test('missing and wrong fields are named in order', async () => {
  const cases: [unknown, string][] = [
    [undefined, 'Required fields (email, username, password) not met'],
    [{ ...good, email: 5 }, 'Required fields (email) not met'],
    [{ ...good, email: 'no address' }, 'Required fields (email) not met'],
    [{ ...good, email: '@example.org' }, 'Required fields (email) not met'],
    [{ ...good, email: 'a@b@c.org' }, 'Required fields (email) not met'],
    [{ ...good, email: 'a@-b.org' }, 'Required fields (email) not met'],
    [{ ...good, email: `${'a'.repeat(250)}@b.cd` }, 'Required fields (email) not met'],
    [{ ...good, username: 'ab' }, 'Required fields (username) not met'],
    [{ ...good, username: '12345' }, 'Required fields (username) not met'],
    [{ ...good, username: '.ann' }, 'Required fields (username) not met'],
    [{ ...good, password: 'seven77' }, 'Required fields (password) not met'],
    [{ ...good, password: 'x'.repeat(257) }, 'Required fields (password) not met'],
    [{ ...good, password: 'nul\u0000nul\u0000' }, 'Required fields (password) not met'],
    [{ ...good, name: '  ' }, 'Invalid fields (name)'],
    [{ ...good, name: null }, 'Invalid fields (name)'],
  ]
  for (const [body, message] of cases) {
    const answer = await call(null, 'POST', '/auth/register', body)
    expect([body, answer.status]).toEqual([body, 400])
    expect(answer.body).toEqual(failure('invalid_schema', message))
  }
})

test('an e-mail address may have 254 code points', async () => {
  const address = (length: number) => `${'🚀'.repeat(length - 5)}@b.cd`
  const rocket = newcomer('rocket')
  const answers = []
  for (const length of [254, 255]) {
    answers.push(await call(null, 'POST', '/auth/register', { ...rocket, email: address(length) }))
  }
  expect(answers[0]!.body.data?.user.email).toBe(address(254))
  expect(answers[1]!.body).toEqual(failure('invalid_schema', 'Required fields (email) not met'))
})

test('a taken e-mail address is refused in any case, before a taken username', async () => {
  const { username } = await user()
  const body = { email: `${username}@EXAMPLE.org`, username: username.toUpperCase(), password }
  expect(told(await call(null, 'POST', '/auth/register', body))).toEqual([400, emailTaken])
  const other = { ...body, email: newcomer('other').email }
  expect(told(await call(null, 'POST', '/auth/register', other))).toEqual([400, usernameTaken])
})

test('a reserved username answers username_taken', async () => {
  for (const username of ['admin', 'Hearth', 'undefined', 'deleted-1']) {
    const answer = await call(null, 'POST', '/auth/register', { ...newcomer('reserved'), username })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(usernameTaken)
  }
})

test('one of several equal concurrent registrations succeeds', async () => {
  const body = newcomer('race')
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => call(null, 'POST', '/auth/register', body)),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  for (const answer of answers.filter((one) => one.status !== 200)) expect(answer.body).toEqual(emailTaken)
})

test('one of several concurrent registrations of a username succeeds', async () => {
  const username = uniqueName('racer')
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => call(null, 'POST', '/auth/register', { ...newcomer('racer'), username })),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  for (const one of answers.filter((answer) => answer.status !== 200)) expect(one.body).toEqual(usernameTaken)
})
