import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { firstIdAt } from '../../ids.ts'
import { type Page, selectPage } from '../../messages/read/page-queries.ts'
import { type GatewayUserRow, gatewayUserJson } from '../../users/queries.ts'

/** What can be done to a house, its parts and its people that not every member may do. */
export type AuditAction =
  | 'house_updated'
  | 'owner_changed'
  | 'room_created'
  | 'room_updated'
  | 'room_deleted'
  | 'override_updated'
  | 'override_removed'
  | 'entity_created'
  | 'entity_updated'
  | 'entity_deleted'
  | 'role_created'
  | 'role_updated'
  | 'role_deleted'
  | 'role_given'
  | 'role_taken'
  | 'member_kicked'
  | 'member_banned'
  | 'ban_lifted'
  | 'invite_created'
  | 'invite_revoked'
  | 'webhook_created'
  | 'webhook_updated'
  | 'webhook_token_replaced'
  | 'webhook_deleted'
  | 'bot_added'
  | 'message_deleted'
  | 'message_pinned'
  | 'message_unpinned'

type AuditTarget = 'house' | 'room' | 'entity' | 'role' | 'user' | 'invite' | 'webhook' | 'message'

/**
 * A field that changed; null where there was nothing before, or is nothing any more. `…_omitted`: the number of items or
 * characters that are left out of a value that is cut.
 */
export type AuditChangeRow = {
  key: string
  old: unknown
  new: unknown
  old_omitted?: number
  new_omitted?: number
}

/** What an entry says, besides who did it where, when and why. */
export type AuditEntry = {
  action: AuditAction
  target_type: AuditTarget
  target_id: string
  changes: readonly AuditChangeRow[]
}

export async function insertAuditEntry(
  db: Db,
  {
    changes,
    ...entry
  }: AuditEntry & { house_id: string; id: string; actor_id: string; reason: string | null },
): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({ ...entry, changes: JSON.stringify(changes) })
    .execute()
}

export type AuditLogRow = {
  house_id: string
  id: string
  actor: GatewayUserRow
  action: string
  target_type: string | null
  target_id: string | null
  changes: AuditChangeRow[]
  reason: string | null
}

/** Which entries: `action` and `user_id` (who did it) where given; `since` is the age of the oldest. */
type AuditLogFilter = { action: string | undefined; user_id: string | undefined; since: Date }

/** A page of the entries of a house, newest first. */
export async function listAuditLog(
  db: Db,
  houseId: string,
  { action, user_id, since }: AuditLogFilter,
  page: Page,
): Promise<AuditLogRow[]> {
  const entries = sql`
    select * from audit_log where house_id = ${houseId} and id >= ${firstIdAt(since.getTime())}
      ${action === undefined ? sql`` : sql`and action = ${action}`}
      ${user_id === undefined ? sql`` : sql`and actor_id = ${user_id}`}`
  const { rows } = await sql<AuditLogRow>`
    select house_id, id, action, target_type, target_id, changes, reason,
      (select ${gatewayUserJson} from users where users.id = audit_log.actor_id) as actor
    from (${selectPage(entries, sql.ref('id'), page)}) as audit_log
    order by id desc`.execute(db)
  return rows
}

/** Deletes entries older than this, so many at most. Returns how many; another process may delete others meanwhile. */
export async function deleteEntriesBefore(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where (house_id, id) in (
      select house_id, id from audit_log where id < ${firstIdAt(before.getTime())}
      order by id limit ${limit} for update skip locked
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
