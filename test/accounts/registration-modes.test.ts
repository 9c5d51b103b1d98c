import { expect, test } from 'vitest'
import { environment, hearthIn } from '../support/cli.ts'
import { otherApp } from '../support/other-app.ts'
import { publishedAbout } from '../support/published.ts'
import { call, db, failure, house, uniqueName, user } from '../support/world.ts'

const password = 'correct horse'
const closed = failure('registration_closed', 'Registration is closed on this server')
const noInvite = failure('invite_not_found', 'That invite does not exist')

const byInvite = await otherApp({ registration: 'invite' })
const shut = await otherApp({ registration: 'closed' })

function newcomer(invite?: string) {
  const username = uniqueName('newcomer')
  return { email: `${username}@example.org`, username, password, ...(invite !== undefined && { invite }) }
}

async function den(limits: object = {}) {
  const owner = await user()
  const { id } = await house({ owner })
  const { body } = await call(owner, 'POST', `/houses/${id}/invites`, limits)
  return { id, code: body.data.code as string }
}

async function isThere(username: string): Promise<boolean> {
  return (await call(null, 'GET', `/users/${username}`)).status === 200
}

test('where invites are needed, nobody registers without one', async () => {
  const body = newcomer()
  const answer = await byInvite.call(null, 'POST', '/auth/register', body)
  expect([answer.status, answer.body]).toEqual([400, closed])
  expect(await isThere(body.username)).toBe(false)
})

test.each([
  ['open', call],
  ['invite', byInvite.call],
])('with REGISTRATION=%s an invite makes the account a member, and is counted', async (_mode, send) => {
  const { id, code } = await den()
  const answer = await send(null, 'POST', '/auth/register', newcomer(code))
  expect(answer.status).toBe(200)
  const { token, user: made } = answer.body.data
  expect(publishedAbout(made.id)).toEqual([{ type: 'member_joined', house_id: id, user_id: made.id }])
  const houses = await call({ ...made, token }, 'GET', '/users/@me/houses')
  expect(houses.body.data.map((each: { id: string }) => each.id)).toEqual([id])
  const { uses } = await db
    .selectFrom('invites')
    .select('uses')
    .where('code', '=', code)
    .executeTakeFirstOrThrow()
  expect(uses).toBe(1)
})

test.each([
  ['open', call],
  ['invite', byInvite.call],
])('with REGISTRATION=%s a faulty invite makes no account', async (_mode, send) => {
  const { code } = await den({ max_uses: 1 })
  expect((await send(null, 'POST', '/auth/register', newcomer(code))).status).toBe(200)
  for (const invite of [code, 'AAAAAA', 'no code', '']) {
    const body = newcomer(invite)
    const answer = await send(null, 'POST', '/auth/register', body)
    expect([invite, answer.status, answer.body]).toEqual([invite, 404, noInvite])
    expect(await isThere(body.username)).toBe(false)
  }
})

test('of many who race for the last use of an invite, one gets an account', async () => {
  const { code } = await den({ max_uses: 1 })
  const bodies = Array.from({ length: 5 }, () => newcomer(code))
  const answers = await Promise.all(bodies.map((body) => byInvite.call(null, 'POST', '/auth/register', body)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404])
  const there = await Promise.all(bodies.map(({ username }) => isThere(username)))
  expect(there.filter(Boolean)).toHaveLength(1)
})

test('an invite that is no text is refused', async () => {
  for (const invite of [5, null]) {
    const answer = await call(null, 'POST', '/auth/register', { ...newcomer(), invite })
    expect(answer.body).toEqual(failure('invalid_schema', 'Invalid fields (invite)'))
  }
})

test('a closed server takes nobody, with an invite or without one', async () => {
  const { code } = await den()
  for (const body of [newcomer(), newcomer(code)]) {
    const answer = await shut.call(null, 'POST', '/auth/register', body)
    expect([answer.status, answer.body]).toEqual([400, closed])
    expect(await isThere(body.username)).toBe(false)
  }
})

test('the command makes accounts where registration is closed', async () => {
  const variables = { ...environment(), REGISTRATION: 'closed' }
  const { email, username } = newcomer()
  const { code } = await hearthIn(variables, 'create-user', email, username, '--password', password)
  expect(code).toBe(0)
  const login = await shut.call(null, 'POST', '/auth/login', { login: username, password })
  expect(login.status).toBe(200)
})
