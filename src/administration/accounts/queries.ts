import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { lockUserAmong } from '../../users/lock-queries.ts'
import type { FullUserRow } from '../../users/queries.ts'

export type AdministeredUserRow = FullUserRow & {
  disabled: boolean
  admin: boolean
  last_seen_at: Date | null
  storage_bytes: number
}

export type AdminPage = { q: string | undefined; after: string; limit: number }

/** The accounts that fit, by id; deleted ones and those of webhooks, which own themselves, are not found. */
export async function listAccounts(db: Db, { q, after, limit }: AdminPage): Promise<AdministeredUserRow[]> {
  const { rows } = await sql<AdministeredUserRow>`
    ${selectAccounts(sql`
      select * from users
      where deleted_at is null and owner_id is distinct from id and id > ${after}
        ${q === undefined ? sql`` : sql`and ${fits(q)}`}
      order by id limit ${limit}`)} order by id`.execute(db)
  return rows
}

/** Whether anybody who can log in is an admin. */
export async function hasAdmin(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('admin', '=', true)
    .where('disabled', '=', false)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

function fits(q: string): RawBuilder<unknown> {
  const text = q.toLowerCase()
  return sql`(id::text = ${q} or position(${text} in username) > 0 or position(${text} in lower(name)) > 0
    or position(${text} in lower(email)) > 0)`
}

/** An account, or undefined; not that of a webhook. */
export async function findAccount(db: Db, id: string): Promise<AdministeredUserRow | undefined> {
  const { rows } = await sql<AdministeredUserRow>`
    ${selectAccounts(sql`
      select * from users where id = ${id} and deleted_at is null and owner_id is distinct from id`)}`.execute(
    db,
  )
  return rows[0]
}

/** The statement for the accounts among some users. What they store is summed up apart, for all of them together. */
function selectAccounts(users: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    with shown as materialized (${users}), stored as materialized (
      select author_id, sum((attachment->>'size')::bigint)::float8 as bytes from messages
      where author_id = any(array(select id from shown)) and attachment is not null group by author_id
    )
    select id, username, name, icon, header, flags, bot, bio, website, location, email, email_verified, mfa_enabled,
      disabled, admin,
      (select max(last_seen_at) from sessions where sessions.user_id = shown.id) as last_seen_at,
      coalesce(bytes, 0) as storage_bytes
    from shown left join stored on stored.author_id = shown.id`
}

export type AccountStateRow = {
  id: string
  bot: boolean
  disabled: boolean
  admin: boolean
  mfa_enabled: boolean
}

/**
 * What an admin can change of an account; undefined when it is gone, or that of a webhook. It is locked until the end of
 * the transaction, and the account of the admin against changes, in id order, as two admins may change one another.
 * Other requests of the same admin do not wait.
 */
export async function lockAccountState(
  db: Db,
  id: string,
  adminId: string | undefined,
): Promise<AccountStateRow | undefined> {
  const locked = await lockUserAmong(db, id, adminId === undefined ? [] : [adminId])
  if (!locked.some((user) => user.id === id)) return undefined
  return db
    .selectFrom('users')
    .select(['id', 'bot', 'disabled', 'admin', 'mfa_enabled'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function updateAccountState(
  db: Db,
  id: string,
  changes: { disabled?: boolean; admin?: boolean },
): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', id).execute()
}
