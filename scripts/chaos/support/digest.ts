import { sql } from 'kysely'
import type { Db } from '../../../src/database/client.ts'

/**
 * What is no state of the service: when a login session was last seen, what a crash empties (the log, presences), the list
 * of files to be erased, which also holds those of uploads that were given up, and that of rooms whose messages are still
 * to be deleted.
 */
const passing = new Set(['discarded_files', 'removed_rooms', 'kysely_migration', 'kysely_migration_lock'])
/** What rooms leave behind is deleted later. */
const ofRooms = new Set(['messages', 'mentions', 'reactions', 'reaction_counts'])
const passingColumns = ['last_seen_at']

/** A digest of each table by name. Messages that explode are left out: they vanish by themselves. */
export async function digestTables(db: Db): Promise<Map<string, string>> {
  const { rows: tables } = await sql<{ name: string; explodes: boolean }>`
    select relname as name, exists (
      select from pg_attribute where attrelid = pg_class.oid and attname = 'expires_at' and relname in ('messages', 'mentions')
    ) as explodes
    from pg_class where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace order by relname`.execute(
    db,
  )
  const parts = tables
    .filter(({ name }) => !passing.has(name))
    .map(({ name, explodes }) => {
      const row = `(to_jsonb(t) - '{${passingColumns.join(',')}}'::text[])::text`
      return `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(${row}, 0)::numeric), 0) as digest
        from ${name} t where ${explodes ? 'expires_at is null' : 'true'}
          and ${ofRooms.has(name) ? 'room_id in (select id from rooms)' : 'true'}`
    })
  const { rows } = await sql<{ name: string; digest: string }>`${sql.raw(parts.join(' union all '))}`.execute(
    db,
  )
  return new Map(rows.map(({ name, digest }) => [name, digest]))
}

/** The tables whose digests differ. */
export function changedTables(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...after].filter(([name, digest]) => before.get(name) !== digest).map(([name]) => name)
}
