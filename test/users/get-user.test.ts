import { expect, test } from 'vitest'
import { call, db, failure, noAuth, uniqueName, user } from '../support/world.ts'

const notFound = failure('user_not_found', 'That user does not exist')

test('a lookup by id, username or @username returns the full user with empty private fields', async () => {
  const ann = await user({ username: uniqueName('ann') })
  const { username } = ann
  await db
    .updateTable('users')
    .set({ email_verified: true, mfa_enabled: true })
    .where('id', '=', ann.id)
    .execute()
  const rest = username.slice(3)
  for (const ref of [
    ann.id,
    `@${ann.id}`,
    username,
    `@${username}`,
    `ANN${rest}`,
    `@Ann${rest}`,
    `%61nn${rest}`,
    `%40ann${rest}`,
    `ann${rest}/`,
  ]) {
    const answer = await call(null, 'GET', `/users/${ref}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      data: {
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
        email: '',
        email_verified: false,
        mfa_enabled: false,
      },
    })
  }
})

test('private fields are real only with the token of that user', async () => {
  const ann = await user()
  const bob = await user()
  await db
    .updateTable('users')
    .set({ email_verified: true, mfa_enabled: true })
    .where('id', '=', ann.id)
    .execute()
  const real = { email: `${ann.username}@example.org`, email_verified: true, mfa_enabled: true }
  const empty = { email: '', email_verified: false, mfa_enabled: false }
  for (const ref of [ann.id, ann.username, `@${ann.username}`]) {
    const url = `/users/${ref}`
    expect((await call(ann, 'GET', url)).body.data).toMatchObject(real)
    expect((await call(bob, 'GET', url)).body.data).toMatchObject(empty)
    for (const authorization of ['', 'x', 'Bearer ', 'f'.repeat(128), `Basic ${ann.token}`]) {
      const answer = await call(null, 'GET', url, undefined, { headers: { authorization } })
      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject(empty)
    }
  }
})

test('@me is the caller, and needs a token', async () => {
  const ann = await user()
  const own = { id: ann.id, email: `${ann.username}@example.org` }
  for (const path of ['/users/@me', '/users/%40me', '/v1/users/%40me']) {
    expect((await call(ann, 'GET', path)).body.data).toMatchObject(own)
    const refused = await call(null, 'GET', path)
    expect(refused.status).toBe(400)
    expect(refused.body).toEqual(noAuth)
  }
})

test('other spellings of @me mean the reserved username me', async () => {
  const ann = await user()
  for (const ref of ['me', '@ME', '@Me', '@@me', '%40ME']) {
    const answer = await call(ann, 'GET', `/users/${ref}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(notFound)
  }
})

test('one leading @ is dropped, not two', async () => {
  const { username } = await user()
  expect((await call(null, 'GET', `/users/@@${username}`)).body).toEqual(notFound)
})

test('digits that are an unknown id are looked up as a username', async () => {
  const ann = await user()
  // Registration refuses such a username, so the row is inserted directly.
  const username = uniqueName('123456')
  await db.updateTable('users').set({ username }).where('id', '=', ann.id).execute()
  expect((await call(null, 'GET', `/users/${username}`)).body.data.id).toBe(ann.id)
})

test('an unknown id or username answers user_not_found', async () => {
  const refs = [
    'nobody',
    '0',
    '1',
    '-1',
    '01',
    '9223372036854775807',
    '9223372036854775808',
    '9'.repeat(400),
    'x'.repeat(5_000),
    '%00',
    'a%00b',
    '%F0%9F%92%A9',
    '%E2%84%AA',
    'a%2Fb',
    'a%20b',
    '@',
    '%25',
    "'%20or%201=1",
    '__proto__',
    'constructor',
  ]
  for (const ref of refs) {
    const answer = await call(null, 'GET', `/users/${ref}`)
    expect([ref, answer.status, answer.body]).toEqual([ref, 400, notFound])
  }
})

test('a deleted account is found neither by id nor by username', async () => {
  const ann = await user()
  const username = `deleted-${ann.id}`
  await db
    .updateTable('users')
    .set({ deleted_at: new Date(), username, email: null })
    .where('id', '=', ann.id)
    .execute()
  for (const ref of [ann.id, username]) {
    const answer = await call(null, 'GET', `/users/${ref}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(notFound)
  }
})

test('a lookup of a bot returns bot: true', async () => {
  const bot = await user({ bot_of: await user() })
  expect((await call(null, 'GET', `/users/${bot.username}`)).body.data).toMatchObject({
    id: bot.id,
    bot: true,
  })
})
