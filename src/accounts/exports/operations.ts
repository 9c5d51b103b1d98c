import { randomBytes } from 'node:crypto'
import type { Caller } from '../../auth/queries.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { discardFilesAtOnce } from '../../storage/discard.ts'
import { lockVerified, requirePassword } from '../passwords/check-operations.ts'
import { findCredentials } from '../queries.ts'
import { deleteExport, type ExportRow, exportFile, findExport, upsertExport } from './queries.ts'

const keyBytes = 32

/**
 * Asks for an export of the caller's account, unless one is being made already; an earlier one ends. `count` counts what
 * is begun, and throws where it is too often. Throws `no_permission` for bots, `invalid_credentials`.
 */
export async function requestExport(
  db: Db,
  caller: Caller,
  password: string,
  count: () => Promise<void>,
): Promise<ExportRow> {
  if (caller.bot) throw new ApiError('no_permission')
  const account = await requirePassword(db, await findCredentials(db, caller.id), password, caller)
  return db.transaction().execute(async (trx) => {
    await lockVerified(trx, account)
    const present = await findExport(trx, caller.id)
    if (present?.expires_at === null) return present
    await count()
    await endExport(trx, caller.id)
    const key = randomBytes(keyBytes).toString('hex')
    await upsertExport(trx, { user_id: caller.id, key })
    return { key, progress: 0, expires_at: null }
  })
}

/** The export of the caller's account, or undefined. Throws `no_permission` for bots. */
export async function findOwnExport(db: Db, caller: Caller): Promise<ExportRow | undefined> {
  if (caller.bot) throw new ApiError('no_permission')
  return findExport(db, caller.id)
}

/** Ends the export of an account, and discards its file, inside a transaction. */
export async function endExport(trx: Db, userId: string): Promise<void> {
  const key = await deleteExport(trx, userId)
  if (key === undefined) return
  await discardFilesAtOnce(trx, [exportFile({ user_id: userId, key })])
}
