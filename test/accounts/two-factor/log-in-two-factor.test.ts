import { expect, test } from 'vitest'
import { told } from '../../support/permissions.ts'
import {
  codeOf,
  countBackupCodes,
  invalidCode,
  logInWith as logIn,
  totpPath,
  withTotp,
} from '../../support/two-factor.ts'
import { call, db, failure } from '../../support/world.ts'

test('a login asks for a code only after the right password', async () => {
  const bob = await withTotp('bob')
  const bad = { login: bob.username, password: 'wrong one', code: codeOf(bob.secret) }
  expect((await call(null, 'POST', '/auth/login', bad)).body.error.code).toBe('invalid_credentials')
  const without = await logIn(bob.username)
  expect(told(without)).toEqual([400, failure('mfa_required', 'A two-factor code is required')])
  for (const code of ['', 'nonsense', codeOf(bob.secret, 40)]) {
    expect(told(await logIn(bob.username, code))).toEqual([400, invalidCode])
  }
  expect((await logIn(bob.username, codeOf(bob.secret))).status).toBe(200)
})

test('codes work as apps and mails show them', async () => {
  const gus = await withTotp('gus')
  const code = codeOf(gus.secret)
  expect((await logIn(gus.username, ` ${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200)
  const wide = codeOf(gus.secret, 1).replace(/./g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
  expect((await logIn(gus.username, wide)).status).toBe(200)
  const [first, second] = gus.backup_codes as [string, string]
  const grouped = `${first.slice(0, 5)}-${first.slice(5)}`.toUpperCase()
  expect((await logIn(gus.username, grouped)).status).toBe(200)
  expect((await logIn(gus.username, first)).body).toEqual(invalidCode)
  const off = await call(gus, 'DELETE', totpPath, { code: `${second.slice(0, 4)} ${second.slice(4)}` })
  expect(off.status).toBe(200)
})

test('a TOTP code works once, also in concurrent logins', async () => {
  const cem = await withTotp('cem')
  const code = codeOf(cem.secret)
  const answers = await Promise.all([logIn(cem.username, code), logIn(cem.username, code)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect((await logIn(cem.username, codeOf(cem.secret, -1))).body).toEqual(invalidCode)
  expect((await logIn(cem.username, codeOf(cem.secret, 1))).status).toBe(200)
})

test('a TOTP code works once after that of the next step, but not after the clock was set back', async () => {
  const fay = await withTotp('fay')
  const [former, present, next] = [-1, 0, 1].map((steps) => codeOf(fay.secret, steps))
  expect((await logIn(fay.username, next)).status).toBe(200)
  expect((await logIn(fay.username, present)).status).toBe(200)
  for (const used of [former, present, next])
    expect((await logIn(fay.username, used)).body).toEqual(invalidCode)
  const future = String(Math.floor(Date.now() / 30_000) + 9)
  await db.updateTable('users').set({ totp_last_step: future }).where('id', '=', fay.id).execute()
  expect((await logIn(fay.username, codeOf(fay.secret, 1))).body).toEqual(invalidCode)
})

test('a backup code works once, and for its own account', async () => {
  const dan = await withTotp('dan')
  const code = dan.backup_codes[3]!
  const answers = await Promise.all([logIn(dan.username, code), logIn(dan.username, code)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(await countBackupCodes(dan)).toBe(9)
  const eve = await withTotp('eve')
  expect((await logIn(eve.username, dan.backup_codes[0])).body).toEqual(invalidCode)
  expect([await countBackupCodes(dan), await countBackupCodes(eve)]).toEqual([9, 10])
})
