import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { IncompatibleDatabase, NewerDatabase } from '../../errors.ts'
import type { Db } from '../client.ts'
import { checkCompatibility } from './compatibility.ts'

const migrationsDir = join(import.meta.dirname, '../../../migrations')
/** Advisory lock of the process that migrates ('HRMG'). */
const migrationLock = 0x48524d47

/** The names of the migrations of this version, in order. */
export async function listMigrations(): Promise<string[]> {
  const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.ts'))
  return files.map((file) => file.replace(/\.ts$/, '')).sort()
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const names = await listMigrations()
  const modules = await Promise.all(
    names.map((name) => import(pathToFileURL(join(migrationsDir, `${name}.ts`)).href) as Promise<Migration>),
  )
  return Object.fromEntries(names.map((name, index) => [name, modules[index]!]))
}

/** The migrator for the migrations of this version. Only tests revert migrations. */
export function migrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations: readMigrations } })
}

/**
 * Runs the pending migrations, each in a transaction of its own: one transaction would lock many tables in another
 * order than processes of the previous version do. One process migrates at a time. Throws `NewerDatabase`,
 * `IncompatibleDatabase`, or what a migration throws.
 */
export async function migrateToLatest(db: Db): Promise<void> {
  if (await isLatest(db)) return
  const error = await migrate(db)
  if (!error) return
  const newer = await listNewerMigrations(db).catch(() => [])
  throw newer.length > 0 ? new NewerDatabase(newer) : error
}

/** Runs the first `count` migrations on an empty database, for the rows of an earlier version. Throws as above. */
export async function migrateEmpty(db: Db, count: number): Promise<void> {
  const error = await migrate(db, count)
  if (error) throw error
}

async function migrate(db: Db, count?: number): Promise<unknown> {
  const { unfit } = await checkCompatibility(db)
  if (unfit.length > 0) throw new IncompatibleDatabase(unfit.join(' '))
  return runPending(db, count)
}

/** Runs migrations until there are `count`, by default all. Returns what one throws, or undefined. */
function runPending(db: Db, count = Number.POSITIVE_INFINITY): Promise<unknown> {
  return db.connection().execute(async (connection) => {
    // Kysely's own lock comes too late: before it, Kysely looks at all tables, and fails when one is dropped meanwhile.
    await sql`select pg_advisory_lock(${migrationLock})`.execute(connection)
    try {
      const migrations = migrator(connection)
      let done = (await migrations.getMigrations()).filter(
        ({ executedAt }) => executedAt !== undefined,
      ).length
      for (; done < count; done += 1) {
        const { error, results } = await migrations.migrateUp()
        if (error || !results?.length) return error
      }
    } finally {
      await sql`select pg_advisory_unlock(${migrationLock})`.execute(connection)
    }
  })
}

/** Whether no migration is pending, as at nearly every start: two statements are faster than the migrator. */
async function isLatest(db: Db): Promise<boolean> {
  const exists = sql<{ exists: boolean }>`select to_regclass('kysely_migration') is not null as exists`
  if (!(await exists.execute(db)).rows[0]!.exists) return false
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return isDeepStrictEqual(
    rows.map((row) => row.name),
    await listMigrations(),
  )
}

/** The names of the migrations of this version that the database does not have yet, in order. */
export async function listPendingMigrations(db: Db): Promise<string[]> {
  const migrations = await migrator(db).getMigrations()
  return migrations
    .filter((migration) => migration.executedAt === undefined)
    .map((migration) => migration.name)
}

/** The names of the migrations of the database that this version does not have, in order; it has been migrated. */
export async function listNewerMigrations(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration where name <> all(${await listMigrations()}::text[]) order by name`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}
