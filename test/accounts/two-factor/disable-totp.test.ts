import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { watching } from '../../support/houses.ts'
import { refusesStrangers } from '../../support/messages.ts'
import { required, told } from '../../support/permissions.ts'
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

test('two-factor is turned off by the password, and the login needs no code again', async () => {
  const eve = await withTotp('eve')
  const { answer, events } = await watching(() => call(eve, 'DELETE', path, { password }))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ mfa_enabled: false })
  expect(await totpOf(eve)).toEqual({ mfa_enabled: false, totp_secret: null })
  expect(await countBackupCodes(eve)).toBe(0)
  expect(events).toEqual([])
  expect((await logInWith('eve')).status).toBe(200)
})

test('it is turned off by a backup code, or by a code of the secret', async () => {
  const [fay, guy] = [await withTotp('fay'), await withTotp('guy')]
  expect((await call(fay, 'DELETE', path, { code: fay.backup_codes[0] })).status).toBe(200)
  expect((await call(guy, 'DELETE', path, { code: codeOf(guy.secret) })).status).toBe(200)
})

test('it is turned on again at once, by a code of the moment whose code has turned it off', async () => {
  const ned = await withTotp('ned')
  expect((await call(ned, 'DELETE', path, { code: codeOf(ned.secret) })).status).toBe(200)
  const { secret } = (await call(ned, 'POST', path, { password })).body.data
  expect((await call(ned, 'POST', `${path}/enable`, { code: codeOf(secret) })).status).toBe(200)
})

test('a wrong code answers invalid_code, a wrong password invalid_credentials, and it stays on', async () => {
  const hal = await withTotp('hal')
  expect(told(await call(hal, 'DELETE', path, { code: 'nonsense' }))).toEqual([400, invalidCode])
  expect(told(await call(hal, 'DELETE', path, { code: 'nonsense', password }))).toEqual([400, invalidCode])
  expect(told(await call(hal, 'DELETE', path, { password: 'wrong one' }))).toEqual([400, wrongPassword])
  expect(await totpOf(hal)).toEqual({ mfa_enabled: true, totp_secret: hal.secret })
  expect(await countBackupCodes(hal)).toBe(10)
})

test('with neither code nor password, or with no text, it answers invalid_schema', async () => {
  const ian = await withTotp('ian')
  for (const body of [undefined, {}, { other: 1 }]) {
    expect(told(await call(ian, 'DELETE', path, body))).toEqual([400, required('code')])
  }
  expect(told(await call(ian, 'DELETE', path, { code: 5 }))).toEqual([
    400,
    failure('invalid_schema', 'Invalid fields (code)'),
  ])
})

test('where it is off, turning it off answers mfa_not_enabled; of two at once one does it', async () => {
  const jon = await resident('jon')
  expect(told(await call(jon, 'DELETE', path, { password }))).toEqual([400, notEnabled])
  const kim = await withTotp('kim')
  const answers = await Promise.all([1, 2].map(() => call(kim, 'DELETE', path, { password })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(answers.find((answer) => answer.status === 400)!.body).toEqual(notEnabled)
})

test('a password that is changed meanwhile no longer turns it off', async () => {
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

test('without a token, or with a faulty one, turning it off answers no_auth', async () => {
  await refusesStrangers('DELETE', path)
})
