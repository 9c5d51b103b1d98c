import type { CodeGuesses } from '../../auth/code-guesses.ts'
import { isTotpCode, normalizeCode } from '../../auth/codes.ts'
import type { Caller } from '../../auth/queries.ts'
import { hashToken } from '../../auth/tokens.ts'
import { newBackupCodes, newTotpSecret, totpStep } from '../../auth/totp.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { lockVerified, requirePassword } from '../passwords/check-operations.ts'
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

/** Time steps whose code is accepted: the present one and one on each side. */
const acceptedSteps = 3

/**
 * Creates a TOTP secret for the caller, which `enableTotp` enables (docs/api.md#accounts). Throws `no_permission` for
 * bots, `invalid_credentials`, `mfa_already_enabled`.
 */
export async function beginTotp(db: Db, caller: Caller, password: string) {
  if (caller.bot) throw new ApiError('no_permission')
  const verified = await requirePassword(db, await findCredentials(db, caller.id), password, caller)
  return db.transaction().execute(async (trx) => {
    const account = await lockVerified(trx, verified)
    if (account.mfa_enabled) throw new ApiError('mfa_already_enabled')
    const issued = await newTotpSecret(account.username)
    await updateCredentials(trx, caller.id, { totp_secret: issued.secret })
    return issued
  })
}

/**
 * Enables two-factor authentication with a first code. Returns the backup codes, of which only hashes are stored. Throws
 * `mfa_already_enabled`, `invalid_code`, `no_auth`.
 */
export async function enableTotp(db: Db, callerId: string, code: string): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    const account = await lockCaller(trx, callerId)
    if (account.mfa_enabled) throw new ApiError('mfa_already_enabled')
    if (!(await useTotp(trx, account, code))) throw new ApiError('invalid_code')
    await updateCredentials(trx, callerId, { mfa_enabled: true })
    const codes = newBackupCodes()
    await insertBackupCodes(trx, callerId, codes.map(hashToken))
    return codes
  })
}

/**
 * Disables two-factor authentication, with a code or, without one, the password. Throws `mfa_not_enabled`,
 * `invalid_code`, `invalid_credentials`, `no_auth`.
 */
export async function disableTotp(
  db: Db,
  caller: Caller,
  proof: { code?: string; password?: string },
  guesses: CodeGuesses,
): Promise<void> {
  const callerId = caller.id
  const before = await findCredentials(db, callerId)
  if (!before?.mfa_enabled) throw new ApiError('mfa_not_enabled')
  const byPassword = proof.code === undefined
  const verified = byPassword ? await requirePassword(db, before, proof.password ?? '', caller) : undefined
  const disable = () =>
    db.transaction().execute(async (trx) => {
      const account = verified ? await lockVerified(trx, verified) : await lockCaller(trx, callerId)
      if (!account.mfa_enabled) throw new ApiError('mfa_not_enabled')
      if (!byPassword && !(await useSecondFactor(trx, account, proof.code!)))
        throw new ApiError('invalid_code')
      await deleteTotp(trx, callerId)
    })
  await (byPassword ? disable() : guesses.limit(callerId, disable))
}

/** Deletes the secret and the backup codes of a locked account. */
export async function deleteTotp(trx: Db, userId: string): Promise<void> {
  const off = { mfa_enabled: false, totp_secret: null, totp_last_step: null, totp_earlier_steps: [] }
  await updateCredentials(trx, userId, off)
  await deleteBackupCodes(trx, userId)
}

/** Locks the caller's account. Throws `no_auth` if it was deleted after the token was checked. */
async function lockCaller(trx: Db, id: string): Promise<CredentialsRow> {
  const account = await lockCredentials(trx, id)
  if (!account) throw new ApiError('no_auth')
  return account
}

/** Uses a TOTP or backup code of a locked account. Returns whether it was valid; each is valid once. */
export async function useSecondFactor(trx: Db, account: Totp, code: string): Promise<boolean> {
  if (isTotpCode(code)) return useTotp(trx, account, code)
  return deleteBackupCode(trx, account.id, hashToken(normalizeCode(code)))
}

async function useTotp(trx: Db, account: Totp, code: string): Promise<boolean> {
  if (account.totp_secret === null || !isTotpCode(code)) return false
  const step = await totpStep(account.totp_secret, normalizeCode(code))
  const last = Number(account.totp_last_step ?? -1)
  const used = [last, ...account.totp_earlier_steps]
  // Older steps are not stored, and refused: a code must not be accepted twice after the clock was set back.
  if (step === undefined || step <= last - acceptedSteps || used.includes(step)) return false
  const latest = Math.max(step, last)
  const earlier = [...used, step].filter((each) => each < latest && each > latest - acceptedSteps)
  await updateCredentials(trx, account.id, {
    totp_last_step: String(latest),
    totp_earlier_steps: earlier,
  })
  return true
}
