import { hashPassword, isPassword } from '../auth/passwords.ts'
import type { Caller } from '../auth/queries.ts'
import { hashToken } from '../auth/tokens.ts'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/bus.ts'
import { isCode, takeCode } from './code-queries.ts'
import { findCredentials, lockCredentials, updateCredentials } from './queries.ts'
import { sessionsEnded } from './session-operations.ts'
import { deleteSessions } from './session-queries.ts'

/**
 * Changes the caller's password and ends all their login sessions but this one. Throws `no_permission` for bots,
 * `invalid_credentials`.
 */
export async function changePassword(
  db: Db,
  caller: Caller,
  fields: { current: string; new: string },
): Promise<Outcome<{ id: string }>> {
  if (caller.bot) throw new ApiError('no_permission')
  const before = (await findCredentials(db, caller.id))?.password_hash
  if (!(await isPassword(fields.current, before))) throw new ApiError('invalid_credentials')
  const password_hash = await hashPassword(fields.new)
  return db.transaction().execute(async (trx) => {
    // Two changes at once: the second one's current password is no longer it.
    const account = await lockCredentials(trx, caller.id)
    if (account?.password_hash !== before) throw new ApiError('invalid_credentials')
    await updateCredentials(trx, caller.id, { password_hash })
    const ended = await deleteSessions(trx, caller.id, caller.session_id)
    return { answer: { id: caller.id }, events: sessionsEnded(ended) }
  })
}

/** Sets a password by a code from the mail, and ends all login sessions. Throws `invalid_code`. */
export async function resetPassword(
  db: Db,
  fields: { code: string; password: string },
): Promise<Outcome<{ reset: true }>> {
  const codeHash = hashToken(fields.code)
  if (!(await isCode(db, 'reset_password', codeHash))) throw new ApiError('invalid_code')
  const password_hash = await hashPassword(fields.password)
  return db.transaction().execute(async (trx) => {
    const taken = await takeCode(trx, 'reset_password', codeHash)
    if (!taken) throw new ApiError('invalid_code')
    await updateCredentials(trx, taken.user_id, { password_hash })
    const ended = await deleteSessions(trx, taken.user_id)
    return { answer: { reset: true as const }, events: sessionsEnded(ended) }
  })
}
