import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { noPermission, required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import {
  alreadyEnabled,
  codeOf,
  invalidCode,
  logInWith,
  totpOf,
  totpPath,
  withTotp,
} from '../../support/two-factor.ts'
import { call, failure, user } from '../../support/world.ts'

const wrongPassword = failure('invalid_credentials', 'The login or password is wrong')

test('beginning returns a secret and an otpauth URL, enables nothing, and sends no event', async () => {
  const ann = await resident('ann')
  const answer = await call(ann, 'POST', totpPath, { password })
  expect(answer.status).toBe(200)
  const { secret, otpauth_url } = answer.body.data
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  // Authenticator apps distinguish accounts by this name.
  expect(otpauth_url).toBe(`otpauth://totp/Hearth:${ann.username}?secret=${secret}&issuer=Hearth`)
  expect(await totpOf(ann)).toEqual({ mfa_enabled: false, totp_secret: secret })
  expect(publishedAbout(ann.id)).toEqual([])
  expect((await logInWith(ann.username)).status).toBe(200)
})

test('beginning again replaces the secret, and codes of the first one are wrong', async () => {
  const bob = await resident('bob')
  const secrets: string[] = []
  for (let i = 0; i < 2; i += 1)
    secrets.push((await call(bob, 'POST', totpPath, { password })).body.data.secret)
  expect(secrets[0]).not.toBe(secrets[1])
  const enable = (secret: string) => call(bob, 'POST', `${totpPath}/enable`, { code: codeOf(secret) })
  expect(told(await enable(secrets[0]!))).toEqual([400, invalidCode])
  expect((await enable(secrets[1]!)).status).toBe(200)
})

test('beginning answers mfa_already_enabled and keeps the secret if it is enabled', async () => {
  const cem = await withTotp('cem')
  expect(told(await call(cem, 'POST', totpPath, { password }))).toEqual([400, alreadyEnabled])
  expect(await totpOf(cem)).toEqual({ mfa_enabled: true, totp_secret: cem.secret })
})

test('a wrong password creates and returns no secret', async () => {
  const dan = await resident('dan')
  for (const body of [undefined, {}, { password: 5 }, { password: null }]) {
    expect(told(await call(dan, 'POST', totpPath, body))).toEqual([400, required('password')])
  }
  expect(told(await call(dan, 'POST', totpPath, { password: 'wrong one' }))).toEqual([400, wrongPassword])
  expect(await totpOf(dan)).toEqual({ mfa_enabled: false, totp_secret: null })
})

test('a bot gets no_permission', async () => {
  const bot = await user({ bot_of: await user() })
  expect(told(await call(bot, 'POST', totpPath, { password }))).toEqual([400, noPermission])
})
