import { generateSync } from 'otplib'
import { expect } from 'vitest'
import { password, type Resident, resident } from './accounts.ts'
import { call, db, failure, type Person } from './world.ts'

export const totpPath = '/users/@me/mfa/totp'
export const invalidCode = failure('invalid_code', 'That code is wrong or has expired')
export const alreadyEnabled = failure('mfa_already_enabled', 'Two-factor authentication is already enabled')
const stepSeconds = 30

/** The code of a step before or after this one. */
export function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * stepSeconds })
}

/** Registers an account with two-factor on; the code of the step before this one is used up. */
export async function withTotp(
  username: string,
): Promise<Resident & { secret: string; backup_codes: string[] }> {
  const person = await resident(username)
  const { secret } = (await call(person, 'POST', totpPath, { password })).body.data
  const enable = () => call(person, 'POST', `${totpPath}/enable`, { code: codeOf(secret, -1) })
  let answer = await enable()
  // A step may have begun since the code was made, which is then too old.
  if (answer.status === 400) answer = await enable()
  expect(answer.status).toBe(200)
  return { ...person, secret, backup_codes: answer.body.data.backup_codes }
}

/** Logs in with the residents' password, and with a code if there is one. */
export function logInWith(login: string, code?: string) {
  return call(null, 'POST', '/auth/login', { login, password, ...(code === undefined ? {} : { code }) })
}

/** What an account's row says of two-factor. */
export function totpOf({ id }: Person) {
  const columns = ['mfa_enabled', 'totp_secret'] as const
  return db.selectFrom('users').select(columns).where('id', '=', id).executeTakeFirstOrThrow()
}

/** The number of backup codes that a user has left. */
export async function countBackupCodes({ id }: Person): Promise<number> {
  const rows = await db.selectFrom('backup_codes').select('code_hash').where('user_id', '=', id).execute()
  return rows.length
}
