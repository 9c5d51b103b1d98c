import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import {
  codeOf,
  countBackupCodes,
  invalidCode,
  logInWith,
  totpPath as path,
  totpOf,
  withTotp,
} from '../../support/two-factor.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, failure } from '../../support/world.ts'

const notEnabled = failure('mfa_not_enabled', 'Two-factor authentication is not enabled')
const wrongPassword = failure('invalid_credentials', 'The login or password is wrong')

test('the password disables it, and the login needs no code', async () => {
  const eve = await withTotp('eve')
  const answer = await call(eve, 'DELETE', path, { password })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ mfa_enabled: false })
  expect(await totpOf(eve)).toEqual({ mfa_enabled: false, totp_secret: null })
  expect(await countBackupCodes(eve)).toBe(0)
  expect(publishedAbout(eve.id)).toEqual([])
  expect((await logInWith(eve.username)).status).toBe(200)
})

test('a backup code or a TOTP code disables it', async () => {
  const [fay, guy] = [await withTotp('fay'), await withTotp('guy')]
  expect((await call(fay, 'DELETE', path, { code: fay.backup_codes[0] })).status).toBe(200)
  expect((await call(guy, 'DELETE', path, { code: codeOf(guy.secret) })).status).toBe(200)
})

test('a new secret can be enabled in the time step in which it was disabled', async () => {
  const ned = await withTotp('ned')
  expect((await call(ned, 'DELETE', path, { code: codeOf(ned.secret) })).status).toBe(200)
  const { secret } = (await call(ned, 'POST', path, { password })).body.data
  expect((await call(ned, 'POST', `${path}/enable`, { code: codeOf(secret) })).status).toBe(200)
})

test('a wrong code answers invalid_code, a wrong password invalid_credentials', async () => {
  const hal = await withTotp('hal')
  expect(told(await call(hal, 'DELETE', path, { code: 'nonsense' }))).toEqual([400, invalidCode])
  expect(told(await call(hal, 'DELETE', path, { code: 'nonsense', password }))).toEqual([400, invalidCode])
  expect(told(await call(hal, 'DELETE', path, { password: 'wrong one' }))).toEqual([400, wrongPassword])
  expect(await totpOf(hal)).toEqual({ mfa_enabled: true, totp_secret: hal.secret })
  expect(await countBackupCodes(hal)).toBe(10)
})

test('neither code nor password, or no text, answers invalid_schema', async () => {
  const ian = await withTotp('ian')
  for (const body of [undefined, {}, { other: 1 }]) {
    expect(told(await call(ian, 'DELETE', path, body))).toEqual([400, required('code')])
  }
  expect(told(await call(ian, 'DELETE', path, { code: 5 }))).toEqual([
    400,
    failure('invalid_schema', 'Invalid fields (code)'),
  ])
})

test('disabling it twice, also concurrently, answers mfa_not_enabled once', async () => {
  const jon = await resident('jon')
  expect(told(await call(jon, 'DELETE', path, { password }))).toEqual([400, notEnabled])
  const kim = await withTotp('kim')
  const answers = await Promise.all([1, 2].map(() => call(kim, 'DELETE', path, { password })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(answers.find((answer) => answer.status === 400)!.body).toEqual(notEnabled)
})

test('a password that changes during the request is refused', async () => {
  const lea = await withTotp('lea')
  const [disabling] = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${lea.id} for no key update`.execute(trx)
    const disabling = call(lea, 'DELETE', path, { password })
    await untilWaiting(1)
    await trx.updateTable('users').set({ password_hash: 'another' }).where('id', '=', lea.id).execute()
    return [disabling]
  })
  expect(told(await disabling)).toEqual([400, wrongPassword])
  expect((await totpOf(lea)).mfa_enabled).toBe(true)
})
