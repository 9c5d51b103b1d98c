import { expect, test } from 'vitest'
import { erase } from '../support/rooms.ts'
import { call, noAuth, user } from '../support/world.ts'

test('returns the full user', async () => {
  const ann = await user({ name: 'Ann' })
  const answer = await call(ann, 'GET', '/users/@me')
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    data: {
      id: ann.id,
      name: 'Ann',
      username: ann.username,
      icon: null,
      header: null,
      flags: 0,
      bot: false,
      location: '',
      website: '',
      bio: '',
      email: `${ann.username}@example.org`,
      email_verified: false,
      mfa_enabled: false,
    },
  })
})

test('a token that is cut, longer, in capitals or after another scheme answers no_auth', async () => {
  const ann = await user()
  for (const authorization of [
    ann.token.slice(1),
    `${ann.token.slice(1)}A`,
    ann.token.toUpperCase(),
    `${ann.token} ${ann.token}`,
    `Basic ${ann.token}`,
  ]) {
    const answer = await call(null, 'GET', '/users/@me', undefined, { headers: { authorization } })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noAuth)
  }
})

test('the token of a deleted account answers no_auth', async () => {
  const gone = await user()
  await erase(gone)
  for (const url of ['/users/@me', '/users/@me/sessions']) {
    expect((await call(gone, 'GET', url)).body).toEqual(noAuth)
  }
})

test('the token is accepted bare and after Bot or Bearer, at the root and under /v1', async () => {
  const ann = await user()
  for (const authorization of [
    ann.token,
    `Bot ${ann.token}`,
    `bearer   ${ann.token}`,
    `BEARER ${ann.token}`,
  ]) {
    for (const path of ['/users/@me', '/v1/users/@me', '/v1/users/@me/']) {
      const answer = await call(null, 'GET', path, undefined, { headers: { authorization } })
      expect(answer.body.data.id).toBe(ann.id)
    }
  }
})
