import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { password, type Resident, resident } from '../support/accounts.ts'
import { call, db, failure, noAuth, user } from '../support/world.ts'

const path = '/users/@me/mfa/totp'
const invalidCode = failure('invalid_code', 'That code is wrong or has expired')
const stepSeconds = 30

/** The code of a step before or after this one. */
function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * stepSeconds })
}

async function withTotp(username: string): Promise<Resident & { secret: string; backup_codes: string[] }> {
  const person = await resident(username)
  const { secret } = (await call(person, 'POST', path)).body.data
  const answer = await call(person, 'POST', `${path}/enable`, { code: codeOf(secret, -1) })
  expect(answer.status).toBe(200)
  return { ...person, secret, backup_codes: answer.body.data.backup_codes }
}

function logIn(login: string, code?: string) {
  return call(null, 'POST', '/auth/login', { login, password, ...(code === undefined ? {} : { code }) })
}

test('enrolment gives a secret and an address to scan, and the first code turns it on', async () => {
  const ann = await resident('ann')
  const begun = await call(ann, 'POST', path)
  const { secret, otpauth_url } = begun.body.data
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(otpauth_url).toContain(`secret=${secret}`)
  expect((await logIn('ann')).status).toBe(200)
  const enabled = await call(ann, 'POST', `${path}/enable`, { code: codeOf(secret) })
  const codes: string[] = enabled.body.data.backup_codes
  expect(codes).toHaveLength(10)
  for (const code of codes) expect(code).toMatch(/^[a-z2-9]{10}$/)
  expect((await call(ann, 'GET', '/users/@me')).body.data.mfa_enabled).toBe(true)
  const rows = await db.selectFrom('backup_codes').select('code_hash').where('user_id', '=', ann.id).execute()
  expect(rows).toHaveLength(10)
})

test('a login needs a code, but only after the right password', async () => {
  const bob = await withTotp('bob')
  const bad = { login: 'bob', password: 'wrong one', code: codeOf(bob.secret) }
  expect((await call(null, 'POST', '/auth/login', bad)).body.error.code).toBe('invalid_credentials')
  const without = await logIn('bob')
  expect(without.status).toBe(400)
  expect(without.body).toEqual(failure('mfa_required', 'A two-factor code is required'))
  for (const code of ['', 'nonsense', codeOf(bob.secret, 40)]) {
    expect((await logIn('bob', code)).body).toEqual(invalidCode)
  }
  expect((await logIn('bob', codeOf(bob.secret))).status).toBe(200)
})

test('a TOTP code works once, also when it comes twice at the same time', async () => {
  const cem = await withTotp('cem')
  const code = codeOf(cem.secret)
  const answers = await Promise.all([logIn('cem', code), logIn('cem', code)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect((await logIn('cem', codeOf(cem.secret, -1))).body).toEqual(invalidCode)
  expect((await logIn('cem', codeOf(cem.secret, 1))).status).toBe(200)
})

test('a backup code works once', async () => {
  const dan = await withTotp('dan')
  const code = dan.backup_codes[3]!
  const answers = await Promise.all([logIn('dan', code), logIn('dan', code)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
})

test('two-factor is turned off by a code or the password, and the login needs none again', async () => {
  const eve = await withTotp('eve')
  expect((await call(eve, 'DELETE', path, {})).body).toEqual(
    failure('invalid_schema', 'Required fields (code) not met'),
  )
  expect((await call(eve, 'DELETE', path, { code: 'nonsense' })).body).toEqual(invalidCode)
  expect((await call(eve, 'DELETE', path, { password: 'wrong one' })).body.error.code).toBe(
    'invalid_credentials',
  )
  const off = await call(eve, 'DELETE', path, { password })
  expect(off.status).toBe(200)
  expect(off.body.data).toEqual({ mfa_enabled: false })
  expect((await logIn('eve')).status).toBe(200)
  const fay = await withTotp('fay')
  expect((await call(fay, 'DELETE', path, { code: fay.backup_codes[0] })).status).toBe(200)
})

test('it is not turned on twice, nor off when it is off, nor by a code of no secret', async () => {
  const gus = await withTotp('gus')
  const twice = failure('mfa_already_enabled', 'Two-factor authentication is already enabled')
  expect((await call(gus, 'POST', path)).body).toEqual(twice)
  expect((await call(gus, 'POST', `${path}/enable`, { code: codeOf(gus.secret) })).body).toEqual(twice)
  const hal = await resident('hal')
  expect((await call(hal, 'POST', `${path}/enable`, { code: '123456' })).body).toEqual(invalidCode)
  expect((await call(hal, 'POST', `${path}/enable`, {})).body.error.message).toBe(
    'Required fields (code) not met',
  )
  const off = await call(hal, 'DELETE', path, { password })
  expect(off.body).toEqual(failure('mfa_not_enabled', 'Two-factor authentication is not enabled'))
})

test('bots and strangers are refused', async () => {
  const bot = await user({ bot_of: await user() })
  expect((await call(bot, 'POST', path)).body.error.code).toBe('no_permission')
  for (const [method, url] of [
    ['POST', path],
    ['POST', `${path}/enable`],
    ['DELETE', path],
  ] as const) {
    expect((await call(null, method, url, {})).body).toEqual(noAuth)
  }
})
