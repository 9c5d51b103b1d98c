import { hashPassword } from '../auth/passwords.ts'
import type { Caller } from '../auth/queries.ts'
import { hashToken } from '../auth/tokens.ts'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import { useCode } from './code-operations.ts'
import { deleteCodesElsewhere, findCodeHolder } from './code-queries.ts'
import { lockProven, provePassword } from './proof-operations.ts'
import { findCredentials, updateCredentials } from './queries.ts'
import { sessionsEnded } from './session-operations.ts'
import { deleteSessions } from './session-queries.ts'

/**
 * Changes the caller's password, and ends all their login sessions but this one and a change of address that has begun.
 * Throws `no_permission` for bots, `invalid_credentials`.
 */
export async function changePassword(
  db: Db,
  caller: Caller,
  fields: { current: string; new: string },
): Promise<Outcome<{ id: string }>> {
  if (caller.bot) throw new ApiError('no_permission')
  const account = await provePassword(await findCredentials(db, caller.id), fields.current)
  const password_hash = await hashPassword(fields.new)
  return db.transaction().execute(async (trx) => {
    // Two changes at once: the second one's current password is no longer it.
    await lockProven(trx, account)
    const events = await setPassword(trx, caller.id, password_hash, caller.session_id)
    return { answer: { id: caller.id }, events }
  })
}

/**
 * Sets a password by a code from the mail, and ends all login sessions and a change of address that has begun. Throws
 * `invalid_code`.
 */
export async function resetPassword(
  db: Db,
  fields: { code: string; password: string },
): Promise<Outcome<{ reset: true }>> {
  // Who guesses does not have passwords hashed.
  const holderId = await findCodeHolder(db, 'reset_password', hashToken(fields.code))
  if (holderId === undefined) throw new ApiError('invalid_code')
  const password_hash = await hashPassword(fields.password)
  return db.transaction().execute(async (trx) => {
    const { user_id } = await useCode(trx, 'reset_password', fields.code)
    return { answer: { reset: true as const }, events: await setPassword(trx, user_id, password_hash) }
  })
}

/** What goes with a new password of a locked account. Returns the events. */
async function setPassword(
  trx: Db,
  userId: string,
  password_hash: string,
  keptSessionId?: string,
): Promise<HearthEvent[]> {
  await updateCredentials(trx, userId, { password_hash })
  await deleteCodesElsewhere(trx, userId)
  return sessionsEnded(await deleteSessions(trx, userId, keptSessionId))
}
