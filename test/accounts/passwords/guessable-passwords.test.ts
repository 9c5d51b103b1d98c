import { expect, test } from 'vitest'
import { issueCode } from '../../../src/accounts/codes/operations.ts'
import { password, resident } from '../../support/accounts.ts'
import { required, told } from '../../support/permissions.ts'
import { call, db, uniqueName } from '../../support/world.ts'

const common = ['password', '12345678', ' '.repeat(8), 'qwertyuiop']

test('no account is registered with a password that is guessed first', async () => {
  const username = uniqueName('guessed')
  const email = `${username}@example.org`
  for (const each of [...common, username, email, `${username}!`, 'Hearth.Test']) {
    const answer = await call(null, 'POST', '/auth/register', { email, username, password: each })
    expect(told(answer)).toEqual([400, required('password')])
  }
  expect((await call(null, 'POST', '/auth/register', { email, username, password })).status).toBe(200)
})

test('no password is changed to one that is guessed first', async () => {
  const ann = await resident('ann')
  for (const each of [...common, ann.username, ann.email]) {
    const answer = await call(ann, 'PATCH', '/users/@me/password', { current: password, new: each })
    expect(told(answer)).toEqual([400, required('new')])
  }
  expect((await call(null, 'POST', '/auth/login', { login: ann.email, password })).status).toBe(200)
})

test('none is set by a reset, which keeps its code', async () => {
  const bob = await resident('bob')
  const { code } = await issueCode(db, bob.id, 'reset_password', bob.email)
  for (const each of [...common, bob.username, bob.email]) {
    const answer = await call(null, 'POST', '/auth/reset-password', { code, password: each })
    expect(told(answer)).toEqual([400, required('password')])
  }
  const answer = await call(null, 'POST', '/auth/reset-password', { code, password: 'a new password' })
  expect(answer.status).toBe(200)
})
