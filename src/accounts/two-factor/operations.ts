import type { Caller } from '../../auth/queries.ts'
import { hashToken } from '../../auth/tokens.ts'
import { newBackupCodes, newTotpSecret, totpStep } from '../../auth/totp.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { lockVerified, requirePassword } from '../proof-operations.ts'
import {
  type CredentialsRow,
  deleteBackupCode,
  deleteBackupCodes,
  findCredentials,
  insertBackupCodes,
  lockCredentials,
  updateCredentials,
} from '../queries.ts'

type Totp = Pick<CredentialsRow, 'id' | 'totp_secret' | 'totp_last_step' | 'totp_earlier_steps'>

/** How many steps a code can be of: one step of tolerance on each side. */
const acceptedSteps = 3

/**
 * Returns the caller a TOTP secret, to be enabled by a first code. Throws `no_permission` for bots,
 * `invalid_credentials`, `mfa_already_enabled`.
 */
export async function beginTotp(db: Db, caller: Caller, password: string) {
  if (caller.bot) throw new ApiError('no_permission')
  const proven = await requirePassword(await findCredentials(db, caller.id), password, caller)
  return db.transaction().execute(async (trx) => {
    const account = await lockVerified(trx, proven)
    if (account.mfa_enabled) throw new ApiError('mfa_already_enabled')
    const issued = await newTotpSecret(account.username)
    await updateCredentials(trx, caller.id, { totp_secret: issued.secret })
    return issued
  })
}

/**
 * Turns two-factor on by a first code. Returns the backup codes, this once. Throws `mfa_already_enabled`,
 * `invalid_code`, `no_auth`.
 */
export async function enableTotp(db: Db, callerId: string, code: string): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    const account = await lock(trx, callerId)
    if (account.mfa_enabled) throw new ApiError('mfa_already_enabled')
    if (!(await useTotp(trx, account, code))) throw new ApiError('invalid_code')
    await updateCredentials(trx, callerId, { mfa_enabled: true })
    const codes = newBackupCodes()
    await insertBackupCodes(trx, callerId, codes.map(hashToken))
    return codes
  })
}

/**
 * Turns two-factor off, by a code or else the password. Throws `mfa_not_enabled`, `invalid_code`,
 * `invalid_credentials`, `no_auth`.
 */
export async function disableTotp(
  db: Db,
  caller: Caller,
  proof: { code?: string; password?: string },
): Promise<void> {
  const callerId = caller.id
  const before = await findCredentials(db, callerId)
  if (!before?.mfa_enabled) throw new ApiError('mfa_not_enabled')
  const byPassword = proof.code === undefined
  if (byPassword) await requirePassword(before, proof.password ?? '', caller)
  await db.transaction().execute(async (trx) => {
    const account = byPassword ? await lockVerified(trx, before) : await lock(trx, callerId)
    if (!account.mfa_enabled) throw new ApiError('mfa_not_enabled')
    if (!byPassword && !(await useSecondFactor(trx, account, proof.code!))) throw new ApiError('invalid_code')
    await forgetTotp(trx, callerId)
  })
}

/** Removes the secret and the backup codes of a locked account. */
export async function forgetTotp(trx: Db, userId: string): Promise<void> {
  const off = { mfa_enabled: false, totp_secret: null, totp_last_step: null, totp_earlier_steps: [] }
  await updateCredentials(trx, userId, off)
  await deleteBackupCodes(trx, userId)
}

/** Locks the caller's account. Throws `no_auth` if it was deleted since their token was read. */
async function lock(trx: Db, id: string): Promise<CredentialsRow> {
  const account = await lockCredentials(trx, id)
  if (!account) throw new ApiError('no_auth')
  return account
}

/** Uses up a TOTP or backup code of a locked account. Returns whether it was good: each is, once. */
export async function useSecondFactor(trx: Db, account: Totp, code: string): Promise<boolean> {
  if (/^[0-9]{6}$/.test(code)) return useTotp(trx, account, code)
  return deleteBackupCode(trx, account.id, hashToken(code))
}

async function useTotp(trx: Db, account: Totp, code: string): Promise<boolean> {
  if (account.totp_secret === null || !/^[0-9]{6}$/.test(code)) return false
  const step = await totpStep(account.totp_secret, code)
  const last = Number(account.totp_last_step ?? -1)
  const used = [last, ...account.totp_earlier_steps]
  // Older ones are not remembered: should the clock be set back, none of them is taken again.
  if (step === undefined || step <= last - acceptedSteps || used.includes(step)) return false
  const latest = Math.max(step, last)
  const earlier = [...used, step].filter((each) => each < latest && each > latest - acceptedSteps)
  await updateCredentials(trx, account.id, {
    totp_last_step: String(latest),
    totp_earlier_steps: earlier,
  })
  return true
}
