import { randomBytes } from 'node:crypto'
import { normalizeCode } from '../../auth/codes.ts'
import type { Caller } from '../../auth/queries.ts'
import { hashToken } from '../../auth/tokens.ts'
import { type Db, violates } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { lockVerified, requirePassword } from '../passwords/check-operations.ts'
import { findCredentials, findTakenLogin, lockCredentials, updateCredentials } from '../queries.ts'
import {
  type CodePurpose,
  deleteCode,
  deleteCodesElsewhere,
  findCodeHolder,
  findPendingEmail,
  upsertCode,
  upsertCodeOfAddress,
} from './queries.ts'

const codeBytes = 16
/** How long a code is valid (docs/api.md#tokens-and-codes). */
const codeAgeMs = { verify_email: 86_400_000, reset_password: 3_600_000 }

/** A code and the address it is for. */
type IssuedCode = { code: string; email: string }

/**
 * Creates a code for a user and cancels the earlier one for the same purpose. Only its hash is stored. `email` is the
 * address that the code verifies.
 */
export async function issueCode(
  db: Db,
  user_id: string,
  purpose: CodePurpose,
  email: string,
): Promise<IssuedCode> {
  const { code, ...fields } = newCode(purpose)
  await upsertCode(db, { user_id, email, ...fields })
  return { code, email }
}

/** The same for a new password, if `email` is still the address of the user; else undefined. */
export async function issueResetCode(
  db: Db,
  user_id: string,
  email: string,
): Promise<IssuedCode | undefined> {
  const { code, ...fields } = newCode('reset_password')
  const isStored = await upsertCodeOfAddress(db, { user_id, email, ...fields })
  return isStored ? { code, email } : undefined
}

function newCode(purpose: CodePurpose) {
  const code = randomBytes(codeBytes).toString('hex')
  return { code, purpose, code_hash: hashToken(normalizeCode(code)), ageMs: codeAgeMs[purpose] }
}

/** The unverified address of a user: the requested new one, else the present one; undefined if that is verified. */
export async function findUnverifiedEmail(
  db: Db,
  account: { id: string; email: string | null; email_verified: boolean },
): Promise<string | undefined> {
  const pending = await findPendingEmail(db, account.id)
  return pending ?? (account.email_verified ? undefined : (account.email ?? undefined))
}

/**
 * Deletes a code, after locking its account as every change of codes does. Returns its user and address, and the present
 * address of the account. Throws `invalid_code`.
 */
export async function useCode(trx: Db, purpose: CodePurpose, code: string) {
  const codeHash = hashToken(normalizeCode(code))
  const userId = await findCodeHolder(trx, purpose, codeHash)
  const account = userId && (await lockCredentials(trx, userId))
  const deleted = account && (await deleteCode(trx, purpose, codeHash))
  if (!deleted) throw new ApiError('invalid_code')
  return { ...deleted, present: account.email }
}

/**
 * Sets the address of the code as the user's verified address, and cancels reset codes that were sent to the former one
 * (docs/api.md#accounts). Returns the user, and the former address where it was another one. Throws `invalid_code`.
 */
export async function verifyEmail(
  db: Db,
  code: string,
): Promise<Outcome<{ user_id: string; former: string | null }>> {
  try {
    return await commit(db, async (trx) => {
      const { user_id, email, present } = await useCode(trx, 'verify_email', code)
      const isSame = present?.toLowerCase() === email!.toLowerCase()
      await updateCredentials(trx, user_id, { email: email!, email_verified: true })
      await deleteCodesElsewhere(trx, user_id)
      return {
        answer: { user_id, former: isSame ? null : present },
        events: [{ type: 'user_updated' as const, user_id, only_self: true }],
      }
    })
  } catch (error) {
    // Another account has taken the address since the code was sent.
    if (violates(error, 'users_email_unique')) throw new ApiError('invalid_code')
    throw error
  }
}

/**
 * Requests a change of the caller's address, which `verifyEmail` completes (docs/api.md#accounts). Returns the code; or
 * undefined for the present, verified address, which cancels a pending change. `countMail` counts the code against a
 * rate limit before it is created. Throws `no_permission` for bots, `invalid_credentials`, `email_taken`.
 */
export async function changeEmail(
  db: Db,
  caller: Caller,
  fields: { email: string; password: string },
  countMail: () => Promise<void>,
): Promise<(IssuedCode & { username: string }) | undefined> {
  if (caller.bot) throw new ApiError('no_permission')
  const verified = await requirePassword(db, await findCredentials(db, caller.id), fields.password, caller)
  return db.transaction().execute(async (trx) => {
    const account = await lockVerified(trx, verified)
    if (fields.email === account.email && account.email_verified) {
      await deleteCodesElsewhere(trx, caller.id)
      return undefined
    }
    const isPresent = account.email?.toLowerCase() === fields.email.toLowerCase()
    const { email: isTaken } = await findTakenLogin(trx, { email: fields.email, username: '' })
    if (isTaken && !isPresent) throw new ApiError('email_taken')
    await countMail()
    const issued = await issueCode(trx, caller.id, 'verify_email', fields.email)
    return { ...issued, username: account.username }
  })
}
