import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import type { CompactUserRow } from '../../users/queries.ts'

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

type AuditPage = { limit: number; before?: string; after?: string; around?: string }

/** A page of what admins and commands did, newest first. */
export async function listServerAuditEntries(db: Db, page: AuditPage): Promise<ServerAuditRow[]> {
  const { rows } = await sql<ServerAuditRow>`
    with page as materialized (${selectPage(page)})
    select page.id, page.action, page.target_id, page.target_type, page.changes,
      (select json_build_object('icon', icon, 'id', id::text, 'username', username, 'name', name,
        'header', header, 'flags', flags, 'bot', bot) from users where users.id = page.actor_id) as actor
    from page order by page.id desc`.execute(db)
  return rows
}

function selectPage({ limit, before, after, around }: AuditPage): RawBuilder<unknown> {
  const newest = (condition: RawBuilder<unknown>, count: number) =>
    sql`(select * from server_audit_log ${condition} order by id desc limit ${count})`
  const oldestAfter = (id: string, count: number) =>
    sql`(select * from server_audit_log where id > ${id} order by id limit ${count})`
  if (before !== undefined) return newest(sql`where id < ${before}`, limit)
  if (after !== undefined) return oldestAfter(after, limit)
  if (around === undefined) return newest(sql``, limit)
  const older = newest(sql`where id <= ${around}`, Math.ceil(limit / 2))
  return sql`${older} union all ${oldestAfter(around, Math.floor(limit / 2))}`
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
