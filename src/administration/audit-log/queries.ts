import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { type Page, selectPage } from '../../messages/read/page-queries.ts'
import { type CompactUserRow, compactUserJson } from '../../users/queries.ts'

/** A field that was changed. */
export type ServerAuditChange = { key: string; old: boolean | string | null; new: boolean | string | null }

export type ServerAuditRow = {
  id: string
  action: string
  actor: CompactUserRow | null
  target_id: string | null
  target_type: string | null
  changes: ServerAuditChange[]
}

export async function insertServerAuditEntry(
  db: Db,
  entry: Omit<ServerAuditRow, 'actor'> & { actor_id: string | null },
): Promise<void> {
  const { id, action, actor_id, target_id, target_type, changes } = entry
  await sql`
    insert into server_audit_log (id, action, actor_id, target_id, target_type, changes)
    values (${id}, ${action}, ${actor_id}, ${target_id}, ${target_type}, ${JSON.stringify(changes)})`.execute(
    db,
  )
}

/** A page of what admins and commands did, newest first. */
export async function listServerAuditEntries(db: Db, page: Page): Promise<ServerAuditRow[]> {
  const { rows } = await sql<ServerAuditRow>`
    with page as materialized (
      ${selectPage(sql`select * from server_audit_log where true`, sql.ref('id'), page)}
    )
    select page.id, page.action, page.target_id, page.target_type, page.changes,
      (select ${compactUserJson} from users where users.id = page.actor_id) as actor
    from page order by page.id desc`.execute(db)
  return rows
}

/** The id of the newest entry with an action, or undefined. */
export async function findNewestServerAuditEntry(db: Db, action: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('server_audit_log')
    .select('id')
    .where('action', '=', action)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Locks the account of an admin against being disabled, or made none. Returns whether it is one. */
export async function lockAdmin(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('admin', '=', true)
    .where('disabled', '=', false)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}
