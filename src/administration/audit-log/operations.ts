import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { insertServerAuditEntry, lockAdmin, type ServerAuditChange } from './queries.ts'

/** The action of an entry about a backup that was restored and compared. */
export const backupVerified = 'backup_verified'

/** Who administers: an admin, or (null) a command of the operator. */
export type Administrator = { id: string } | null

type Target = { type: 'user' | 'house'; id: string }

/**
 * Adds an entry to the audit log of the server, inside the transaction of what was done. Throws `not_found` for somebody
 * who is no admin any more, or disabled: then nothing is done. Their account stays locked against that until the commit.
 */
export async function writeServerAudit(
  trx: Db,
  by: Administrator,
  action: string,
  target: Target | null,
  changes: ServerAuditChange[] = [],
): Promise<void> {
  if (by && !(await lockAdmin(trx, by.id))) throw new ApiError('not_found')
  await insertServerAuditEntry(trx, {
    id: newId(),
    action,
    actor_id: by?.id ?? null,
    target_id: target?.id ?? null,
    target_type: target?.type ?? null,
    changes,
  })
}
