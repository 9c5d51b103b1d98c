import { expect, test } from 'vitest'
import { password, resident } from '../../support/accounts.ts'
import { required, told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import {
  alreadyEnabled,
  codeOf,
  countBackupCodes,
  invalidCode,
  totpOf,
  totpPath,
  withTotp,
} from '../../support/two-factor.ts'
import { call, user } from '../../support/world.ts'

const path = `${totpPath}/enable`

test('the first code enables it and returns ten backup codes, stored as hashes', async () => {
  const ann = await resident('ann')
  const { secret } = (await call(ann, 'POST', totpPath, { password })).body.data
  const answer = await call(ann, 'POST', path, { code: codeOf(secret) })
  expect(answer.status).toBe(200)
  const codes: string[] = answer.body.data.backup_codes
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[a-z2-9]{10}$/)
  expect((await call(ann, 'GET', '/users/@me')).body.data.mfa_enabled).toBe(true)
  expect(await totpOf(ann)).toEqual({ mfa_enabled: true, totp_secret: secret })
  expect(await countBackupCodes(ann)).toBe(10)
  expect(publishedAbout(ann.id)).toEqual([])
})

test('a code sent by concurrent requests enables it once', async () => {
  const bob = await resident('bob')
  const { secret } = (await call(bob, 'POST', totpPath, { password })).body.data
  const code = codeOf(secret)
  const answers = await Promise.all([1, 2].map(() => call(bob, 'POST', path, { code })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(await countBackupCodes(bob)).toBe(10)
})

test('a wrong or old code, or a code without a secret, answers invalid_code', async () => {
  const [cem, hal] = [await resident('cem'), await resident('hal')]
  const { secret } = (await call(cem, 'POST', totpPath, { password })).body.data
  for (const code of ['', 'nonsense', codeOf(secret, -2), codeOf(secret, -40)]) {
    expect(told(await call(cem, 'POST', path, { code }))).toEqual([400, invalidCode])
  }
  expect(told(await call(hal, 'POST', path, { code: '123456' }))).toEqual([400, invalidCode])
  expect(await totpOf(cem)).toEqual({ mfa_enabled: false, totp_secret: secret })
})

test('a code answers mfa_already_enabled if it is enabled', async () => {
  const gus = await withTotp('gus')
  const answer = await call(gus, 'POST', path, { code: codeOf(gus.secret) })
  expect(told(answer)).toEqual([400, alreadyEnabled])
  expect(await countBackupCodes(gus)).toBe(10)
})

test('a missing or non-text code answers invalid_schema', async () => {
  const ian = await resident('ian')
  for (const body of [undefined, {}, { code: 123456 }]) {
    expect(told(await call(ian, 'POST', path, body))).toEqual([400, required('code')])
  }
})

test('a bot has no secret and gets invalid_code', async () => {
  const bot = await user({ bot_of: await user() })
  expect(told(await call(bot, 'POST', path, { code: '123456' }))).toEqual([400, invalidCode])
})
