import { hashPassword } from '../../auth/passwords.ts'
import type { Caller } from '../../auth/queries.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { readCode, useCode } from '../codes/operations.ts'
import { deleteCodesElsewhere, findCodeHolder } from '../codes/queries.ts'
import { endExport } from '../exports/operations.ts'
import { findCredentials, updateCredentials } from '../queries.ts'
import { sessionsEndedEvents } from '../sessions/operations.ts'
import { deleteSessions, deleteSessionsOfBots } from '../sessions/queries.ts'
import { lockVerified, requirePassword } from './check-operations.ts'
import { refuseGuessable } from './guessing-operations.ts'

/**
 * Changes the caller's password, ends their other login sessions, and cancels a pending change of address
 * (docs/api.md#accounts). `server` is its address. Throws `no_permission` for bots, `invalid_schema` for a password that
 * is easily guessed, `invalid_credentials`.
 */
export async function changePassword(
  db: Db,
  caller: Caller,
  fields: { current: string; new: string },
  server: string,
): Promise<Outcome<{ id: string }>> {
  if (caller.bot) throw new ApiError('no_permission')
  const present = await findCredentials(db, caller.id)
  await refuseGuessable(fields.new, { server, ...present }, 'new')
  const account = await requirePassword(db, present, fields.current, caller)
  const password_hash = await hashPassword(fields.new, caller)
  return commit(db, async (trx) => {
    // Of two concurrent changes the second one fails: its current password has been replaced.
    await lockVerified(trx, account)
    const events = await setPassword(trx, caller.id, password_hash, caller.session_id)
    return { answer: { id: caller.id }, events }
  })
}

/**
 * Sets a password with a reset code, ends all login sessions and the tokens of the account's bots, and cancels a pending
 * change of address (docs/api.md#accounts). Returns the user. `server` is its address; `also` is part of the transaction.
 * Throws `invalid_schema` for a password that is easily guessed, `invalid_code`.
 */
export async function resetPassword(
  db: Db,
  fields: { code: string; password: string },
  server: string,
  also?: (trx: Db, userId: string) => Promise<void>,
): Promise<Outcome<{ user_id: string }>> {
  await refuseGuessable(fields.password, { server })
  // Hashing is expensive: a wrong code is refused before it.
  const codeHash = await readCode(db, 'reset_password', fields.code)
  const holderId = await findCodeHolder(db, 'reset_password', codeHash)
  if (holderId === undefined) throw new ApiError('invalid_code')
  await refuseGuessable(fields.password, { server, ...(await findCredentials(db, holderId)) })
  const password_hash = await hashPassword(fields.password, { id: holderId })
  return commit(db, async (trx) => {
    const { user_id, email, present } = await useCode(trx, 'reset_password', codeHash)
    // The code was sent to an earlier address of the account, which may belong to somebody else.
    const isElsewhere = email !== null && email.toLowerCase() !== (present ?? '').toLowerCase()
    if (isElsewhere) throw new ApiError('invalid_code')
    const events = await setPassword(trx, user_id, password_hash)
    // Creating a bot token locks the owner, who is locked here: no token is created concurrently.
    events.push(...sessionsEndedEvents(await deleteSessionsOfBots(trx, user_id)))
    await also?.(trx, user_id)
    return { answer: { user_id }, events }
  })
}

/**
 * Sets the password of a locked account (null: none), and ends its login sessions except `keptSessionId`, and its export.
 * Returns the events.
 */
export async function setPassword(
  trx: Db,
  userId: string,
  password_hash: string | null,
  keptSessionId?: string,
): Promise<HearthEvent[]> {
  await updateCredentials(trx, userId, { password_hash })
  await deleteCodesElsewhere(trx, userId)
  await endExport(trx, userId)
  return sessionsEndedEvents(await deleteSessions(trx, userId, keptSessionId))
}
