import { sql } from 'kysely'
import type { Db } from '../../../src/database/client.ts'
import { epochMs } from '../../../src/ids.ts'

/** An id of today, as old entries of the audit log are deleted. */
const recentId = `(((extract(epoch from now()) * 1000)::bigint - ${epochMs}) << 22)`

/**
 * A list of work, which a server that starts does and deletes, a table of one row, and one that `rooms` fills by a
 * trigger.
 */
const notFilled = ['removed_rooms', 'vapid_keys', 'room_heads']

/** How to fill each table: a row for each `n` of a range, in columns that the table has had from the first. */
const rowsOf: Record<string, [columns: string, values: string]> = {
  users: ['id, username, name, email', `n, 'user' || n, 'User', 'user' || n || '@example.org'`],
  sessions: ['id, user_id, token_hash', `n, n, sha256(n::text::bytea)`],
  account_codes: [
    'user_id, purpose, code_hash, email, expires_at',
    `n, 'verify_email', sha256(n::text::bytea), 'x@example.org', now() + interval '1 day'`,
  ],
  mails: ['user_id, kind, email, due_at', `n, 'verify_email', 'x@example.org', now() + interval '1 day'`],
  backup_codes: ['user_id, code_hash', 'n, sha256(n::text::bytea)'],
  settings: ['user_id, theme', `n, 'dark'`],
  friendships: ['user_low, user_high', 'n - 1, n'],
  friend_requests: ['from_id, to_id', 'n, n - 2'],
  blocks: ['user_id, target_id, type', 'n, n - 3, 5'],
  houses: ['id, name, owner_id, default_permissions', `n, 'House', n, 3`],
  house_retention: ['house_id, max_age', 'n, 2147483647'],
  members: ['house_id, user_id', 'n, n'],
  roles: ['id, house_id, name, allow', `n, n, 'Role', 1`],
  member_roles: ['house_id, user_id, role_id', 'n, n, n'],
  bans: ['house_id, user_id, created_by', 'n, n - 1, n'],
  invites: ['code, house_id, creator_id', `'code' || n, n, n`],
  rooms: ['id, type, house_id, name, position', `n, 0, n, 'room', 0`],
  room_recipients: ['room_id, user_id', 'n, n'],
  entities: ['id, house_id, name, position', `n, n, 'Rooms', 0`],
  entity_rooms: ['room_id, entity_id, position', 'n, n, 0'],
  room_settings: ['user_id, room_id, notification_preference', 'n, n, 1'],
  messages: ['room_id, id, author_id, device_id, content', `n, n, n, n, 'some words ' || n`],
  mentions: ['user_id, message_id, room_id, author_id', 'n, n, n, n - 1'],
  read_states: ['user_id, room_id, message_id', 'n, n, n'],
  reactions: ['room_id, message_id, emoji, user_id', `n, n, '👍', n`],
  reaction_counts: ['room_id, message_id, emoji, count, place', `n, n, '👍', 1, 1`],
  pins: ['room_id, message_id', 'n, n'],
  webhooks: ['id, house_id, room_id, token_hash', 'n, n, n, sha256(n::text::bytea)'],
  audit_log: ['house_id, id, actor_id, action, changes', `n, ${recentId} + n, n, 'house_updated', '[]'`],
  server_audit_log: ['id, action, changes', `n, 'user_updated', '[]'`],
  oidc_identities: ['issuer, subject, user_id', `'https://id.example.org', n::text, n`],
  oidc_codes: [
    'code_hash, issuer, subject, profile, expires_at',
    `sha256(n::text::bytea), 'https://id.example.org', n::text, '{}', now() + interval '1 day'`,
  ],
  push_subscriptions: [
    'id, user_id, session_id, endpoint, p256dh, auth',
    `n, n, n, 'https://push.example.org/' || n, 'key', 'secret'`,
  ],
  pushed_rooms: ['user_id, room_id, message_id, count', 'n, n, n, 1'],
  exports: ['user_id, key, expires_at', `n, 'key' || n, now() + interval '1 day'`],
  discarded_files: ['name, discarded_at', `'attachments/' || n, now() + interval '1 day'`],
}

/** The first of the rows: those before it, on which some of them lean, are users alone. */
export const firstRow = 10

/** The tables of a database that a crash does not empty, parents before children. Throws for one that nobody says how to fill. */
export async function listTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace
      and relname not like 'kysely%'`.execute(db)
  const present = rows.map(({ name }) => name).filter((name) => !notFilled.includes(name))
  const unknown = present.filter((name) => !(name in rowsOf))
  if (unknown.length > 0) throw new Error(`say in scripts/chaos/upgrades/rows.ts how to fill ${unknown}`)
  return Object.keys(rowsOf).filter((name) => present.includes(name))
}

/** The statement that writes rows `from` to `to` of a table. */
export function insertInto(table: string, from: number, to: number): string {
  const [columns, values] = rowsOf[table]!
  return `insert into ${table} (${columns}) select ${values} from generate_series(${from}, ${to}) n`
}

/** Fills the tables with so many rows each. */
export async function fill(db: Db, tables: string[], count: number): Promise<void> {
  await sql.raw(insertInto('users', 1, firstRow - 1)).execute(db)
  for (const table of tables) await sql.raw(insertInto(table, firstRow, firstRow + count - 1)).execute(db)
}

/** Every row of a table as text, in the columns given; in those it has now without. */
export async function readRows(
  db: Db,
  table: string,
  columns?: string[],
): Promise<{ columns: string[]; rows: string[] }> {
  const names =
    columns ??
    (
      await sql<{ name: string }>`select attname as name from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`.execute(db)
    ).rows.map(({ name }) => name)
  const { rows } = await sql<{ row: string }>`
    select jsonb_build_array(${sql.raw(names.join(', '))})::text as row from ${sql.table(table)}`.execute(db)
  return { columns: names, rows: rows.map(({ row }) => row) }
}
