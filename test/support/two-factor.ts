import { generateSync } from 'otplib'
import { expect, TestRunner, vi } from 'vitest'
import { password, type Resident, resident } from './accounts.ts'
import { atEnd } from './at-end.ts'
import { call, db, failure, type Person } from './world.ts'

export const totpPath = '/users/@me/mfa/totp'
export const invalidCode = failure('invalid_code', 'That code is wrong or has expired')
export const alreadyEnabled = failure('mfa_already_enabled', 'Two-factor authentication is already enabled')
const stepSeconds = 30

/** Stops the clock until the end of the test, so that no step begins between one code and the next. */
function stopClock(): void {
  if (vi.getMockedSystemTime() !== null) return
  vi.setSystemTime(Date.now())
  atEnd(() => vi.useRealTimers())
}

/** The code of the present step, or of one before or after it. Stops the clock until the end of the test. */
export function codeOf(secret: string, steps = 0): string {
  stopClock()
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * stepSeconds })
}

/**
 * Registers an account with two-factor on, and a username that begins with this one. The code of the step before the
 * present one is used up. Stops the clock until the end of the test.
 */
export async function withTotp(
  begin: string,
): Promise<Resident & { secret: string; backup_codes: string[] }> {
  const person = await resident(begin)
  const { secret } = (await call(person, 'POST', totpPath, { password })).body.data
  const answer = await call(person, 'POST', `${totpPath}/enable`, { code: codeOf(secret, -1) })
  expect(answer.status).toBe(200)
  // Otherwise the clock would stand still for all tests of a file that makes such an account at its beginning.
  if (!TestRunner.getCurrentTest()) vi.useRealTimers()
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
