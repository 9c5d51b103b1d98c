import { removeAccounts } from '../../accounts/deletion/operations.ts'
import { endExport } from '../../accounts/exports/operations.ts'
import { sessionsEndedEvents } from '../../accounts/sessions/operations.ts'
import { deleteSessions, deleteSessionsOfBots } from '../../accounts/sessions/queries.ts'
import { deleteTotp } from '../../accounts/two-factor/operations.ts'
import { changedFields } from '../../database/changed-fields.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { type Administrator, writeServerAudit } from '../audit-log/operations.ts'
import type { AdministeredUser, AdministerUser } from '../schemas.ts'
import { serializeAdministeredUser } from '../serializers.ts'
import { findAccount, lockAccountState, updateAccountState } from './queries.ts'

/** An account as admins see it. Throws `user_not_found`. */
export async function getAccount(db: Db, id: string): Promise<AdministeredUser> {
  const row = await findAccount(db, id)
  if (!row) throw new ApiError('user_not_found')
  return serializeAdministeredUser(row)
}

/**
 * Disables or enables an account, makes it an admin or none, or turns its two-factor off. A disabled account loses its
 * login sessions, the tokens of its bots and its export. Throws `user_not_found`; `no_permission` for oneself, and to
 * make a bot an admin.
 */
export async function administerAccount(
  db: Db,
  by: Administrator,
  id: string,
  wanted: AdministerUser,
): Promise<Outcome<AdministeredUser>> {
  return commit(db, async (trx) => {
    const account = await lockAccountState(trx, id, by?.id)
    if (!account) throw new ApiError('user_not_found')
    if (by?.id === id || (wanted.admin && account.bot)) throw new ApiError('no_permission')
    const { mfa_enabled, ...changes } = changedFields(wanted, account)
    if (Object.keys(changes).length > 0) await updateAccountState(trx, id, changes)
    if (mfa_enabled === false) await deleteTotp(trx, id)
    const events = changes.disabled ? await endAllSessions(trx, id) : []
    const changed = Object.entries({ ...changes, ...(mfa_enabled === false && { mfa_enabled }) })
    if (changed.length > 0) {
      const audited = changed.map(([key, value]) => ({ key, old: !value, new: value }))
      await writeServerAudit(trx, by, 'user_edited', { type: 'user', id }, audited)
    }
    return { answer: await getAccount(trx, id), events }
  })
}

/** Deletes an account and its bots, as its owner could. Throws `user_not_found`, `no_permission` for oneself. */
export async function deleteAccount(db: Db, by: Administrator, id: string): Promise<Outcome<{ id: string }>> {
  const account = await findAccount(db, id)
  if (!account) throw new ApiError('user_not_found')
  if (by?.id === id) throw new ApiError('no_permission')
  const changes = [{ key: 'username', old: account.username, new: null }]
  const removed = await removeAccounts(db, { id }, (trx) =>
    writeServerAudit(trx, by, 'user_deleted', { type: 'user', id }, changes),
  )
  if (!removed) throw new ApiError('user_not_found')
  return { ...removed, answer: { id } }
}

/** Ends the login sessions of an account, not those of its bots. Throws as `deleteAccount`. */
export async function endSessionsOf(
  db: Db,
  by: Administrator,
  id: string,
): Promise<Outcome<{ id: string; ended: number }>> {
  return commit(db, async (trx) => {
    if (!(await lockAccountState(trx, id, by?.id))) throw new ApiError('user_not_found')
    if (by?.id === id) throw new ApiError('no_permission')
    const ended = await deleteSessions(trx, id)
    await writeServerAudit(trx, by, 'user_sessions_ended', { type: 'user', id })
    return { answer: { id, ended: ended.length }, events: sessionsEndedEvents(ended) }
  })
}

/** Ends what an account is reached by: the login sessions, the tokens of its bots, and the address of its export. */
async function endAllSessions(trx: Db, id: string): Promise<HearthEvent[]> {
  await endExport(trx, id)
  const ended = [...(await deleteSessions(trx, id)), ...(await deleteSessionsOfBots(trx, id))]
  return sessionsEndedEvents(ended)
}
