import { randomBytes, timingSafeEqual } from 'node:crypto'
import { normalizeCode } from '../../auth/codes.ts'
import type { Caller } from '../../auth/queries.ts'
import { hashShortCode, newShortCode, prefixOf, readShortCode } from '../../auth/short-codes.ts'
import { hashToken } from '../../auth/tokens.ts'
import { type Db, violates } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { lockVerified, requirePassword } from '../passwords/check-operations.ts'
import { findCredentials, findTakenLogin, lockCredentials, updateCredentials } from '../queries.ts'
import {
  type CodeHashes,
  type CodePurpose,
  countShortAttempt,
  deleteCode,
  deleteCodesElsewhere,
  findCodeHolder,
  findPendingEmail,
  replaceCode,
  upsertCode,
  upsertCodeOfAddress,
} from './queries.ts'

const codeBytes = 16
/** How long a code is valid (docs/api.md#tokens-and-codes). */
const codeAgeMs = { verify_email: 86_400_000, reset_password: 3_600_000 }

/** The code in the link of a mail, which somebody may paste in its place. */
const linkedCode = /#code=([0-9a-f]{32})\s*$/

/** A code, its short form, and the address it is for. */
type IssuedCode = { code: string; shortCode: string; email: string }

/**
 * Creates a code for a user and cancels the earlier one for the same purpose. Only its hashes are stored. `email` is the
 * address that the code verifies.
 */
export async function issueCode(
  db: Db,
  user_id: string,
  purpose: CodePurpose,
  email: string,
): Promise<IssuedCode> {
  const { hashes, ...code } = newCode()
  await upsertCode(db, { ...hashes, user_id, purpose, email, ageMs: codeAgeMs[purpose] })
  return { ...code, email }
}

/** Creates a code in place of one that was issued for the same address; undefined if that was used or cancelled. */
export async function reissueCode(
  db: Db,
  user_id: string,
  purpose: CodePurpose,
  email: string,
): Promise<IssuedCode | undefined> {
  const { hashes, ...code } = newCode()
  const isValid = await replaceCode(db, { ...hashes, user_id, purpose, email, ageMs: codeAgeMs[purpose] })
  return isValid ? { ...code, email } : undefined
}

function newCode(): { code: string; shortCode: string; hashes: CodeHashes } {
  const [code, shortCode] = [randomBytes(codeBytes).toString('hex'), newShortCode()]
  const code_hash = hashToken(code)
  const short = readShortCode(shortCode)!
  return {
    code,
    shortCode,
    hashes: { code_hash, short_prefix: prefixOf(short), short_hash: hashShortCode(code_hash, short) },
  }
}

/**
 * The hash of the code that somebody has entered, in its short form or as it is. A short form counts as a guess at the
 * accounts whose codes begin so. Throws `invalid_code` for a wrong short form.
 */
export async function readCode(db: Db, purpose: CodePurpose, typed: string): Promise<Buffer> {
  const short = readShortCode(typed)
  if (short === undefined) return hashToken(linkedCode.exec(typed)?.[1] ?? normalizeCode(typed))
  const candidates = await countShortAttempt(db, purpose, prefixOf(short))
  const found = candidates.find(
    ({ code_hash, short_hash }) =>
      short_hash !== null && timingSafeEqual(short_hash, hashShortCode(code_hash, short)),
  )
  if (!found) throw new ApiError('invalid_code')
  return found.code_hash
}

/** The same for a new password, if `email` is still the address of the user; else undefined. */
export async function issueResetCode(
  db: Db,
  user_id: string,
  email: string,
): Promise<IssuedCode | undefined> {
  const { hashes, ...code } = newCode()
  const purpose = 'reset_password'
  const stored = { ...hashes, user_id, purpose, email, ageMs: codeAgeMs[purpose] } as const
  return (await upsertCodeOfAddress(db, stored)) ? { ...code, email } : undefined
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
 * Deletes a code by its hash, after locking its account as every change of codes does. Returns its user and address, and the present
 * address of the account. Throws `invalid_code`.
 */
export async function useCode(trx: Db, purpose: CodePurpose, codeHash: Buffer) {
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
  const codeHash = await readCode(db, 'verify_email', code)
  try {
    return await commit(db, async (trx) => {
      const { user_id, email, present } = await useCode(trx, 'verify_email', codeHash)
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
): Promise<IssuedCode | undefined> {
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
    return issueCode(trx, caller.id, 'verify_email', fields.email)
  })
}
