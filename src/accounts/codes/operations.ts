import { randomBytes } from 'node:crypto'
import type { Caller } from '../../auth/queries.ts'
import { hashToken } from '../../auth/tokens.ts'
import { type Db, violates } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { lockVerified, requirePassword } from '../proof-operations.ts'
import { findCredentials, findTakenLogin, lockCredentials, updateCredentials } from '../queries.ts'
import {
  type CodePurpose,
  deleteCode,
  deleteCodesElsewhere,
  findCodeHolder,
  findPendingEmail,
  upsertCode,
} from './queries.ts'

const codeBytes = 16
const lifeMs = { verify_email: 86_400_000, reset_password: 3_600_000 }

/** A code and the address it is for. */
type IssuedCode = { code: string; email: string }

/**
 * Makes a code for a user; the older one for the same purpose is cancelled. The operator hands it out, or mail does:
 * it is kept nowhere. `email` is the address it proves.
 */
export async function issueCode(
  db: Db,
  user_id: string,
  purpose: CodePurpose,
  email: string,
): Promise<IssuedCode> {
  const code = randomBytes(codeBytes).toString('hex')
  await upsertCode(db, { user_id, purpose, code_hash: hashToken(code), email, lifeMs: lifeMs[purpose] })
  return { code, email }
}

/** The address of a user that is still to be proven: one they are changing to, else an unverified present one. */
export async function findUnverifiedEmail(
  db: Db,
  account: { id: string; email: string | null; email_verified: boolean },
): Promise<string | undefined> {
  const pending = await findPendingEmail(db, account.id)
  return pending ?? (account.email_verified ? undefined : (account.email ?? undefined))
}

/** Uses a code up, and locks its account first, as everybody does who changes codes. Throws `invalid_code`. */
export async function useCode(trx: Db, purpose: CodePurpose, code: string) {
  const codeHash = hashToken(code)
  const userId = await findCodeHolder(trx, purpose, codeHash)
  const account = userId && (await lockCredentials(trx, userId))
  const taken = account && (await deleteCode(trx, purpose, codeHash))
  if (!taken) throw new ApiError('invalid_code')
  return taken
}

/**
 * Sets the address of a code as the user's own, verified one; a code for a new password that the former one was sent is
 * cancelled. Throws `invalid_code`.
 */
export async function verifyEmail(db: Db, code: string): Promise<Outcome<{ email_verified: true }>> {
  try {
    return await commit(db, async (trx) => {
      const { user_id, email } = await useCode(trx, 'verify_email', code)
      await updateCredentials(trx, user_id, { email: email!, email_verified: true })
      await deleteCodesElsewhere(trx, user_id)
      return {
        answer: { email_verified: true as const },
        events: [{ type: 'user_updated' as const, user_id, only_self: true }],
      }
    })
  } catch (error) {
    // Somebody else has taken the address since the code went out.
    if (violates(error, 'users_email_unique')) throw new ApiError('invalid_code')
    throw error
  }
}

/**
 * Begins the change of the caller's address: the new one counts once its code has come back. Returns the code, or
 * undefined when it is the present, proven address; then a change that has begun is cancelled. `countMail` may refuse to
 * have another code made. Throws `no_permission`, `invalid_credentials`, `email_taken`.
 */
export async function changeEmail(
  db: Db,
  caller: Caller,
  fields: { email: string; password: string },
  countMail: () => Promise<void>,
): Promise<(IssuedCode & { username: string }) | undefined> {
  if (caller.bot) throw new ApiError('no_permission')
  const proven = await requirePassword(await findCredentials(db, caller.id), fields.password, caller)
  return db.transaction().execute(async (trx) => {
    const account = await lockVerified(trx, proven)
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
