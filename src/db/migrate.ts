import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'

const migrationsDir = join(import.meta.dirname, '../../migrations')

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.ts')).sort()
  const modules = await Promise.all(
    files.map((file) => import(join(migrationsDir, file)) as Promise<Migration>),
  )
  return Object.fromEntries(files.map((file, index) => [file.replace(/\.ts$/, ''), modules[index]!]))
}

function migrator<T>(db: Kysely<T>): Migrator {
  return new Migrator({ db: db as Kysely<unknown>, provider: { getMigrations: readMigrations } })
}

/** Runs all pending migrations, all or nothing, under an advisory lock. Throws what a migration throws. */
export async function migrateToLatest<T>(db: Kysely<T>): Promise<void> {
  const { error } = await migrator(db).migrateToLatest()
  if (error) throw error
}

/** Reverts all migrations, newest first. For tests only: in production migrations are never reverted. */
export async function migrateToNothing<T>(db: Kysely<T>): Promise<void> {
  const { NO_MIGRATIONS } = await import('kysely/migration')
  const { error } = await migrator(db).migrateTo(NO_MIGRATIONS)
  if (error) throw error
}

/** The names of the migrations of this version, in order. */
export async function listMigrations(): Promise<string[]> {
  return Object.keys(await readMigrations())
}

/** The names of the migrations of this version that the database does not have yet, in order. */
export async function listPendingMigrations<T>(db: Kysely<T>): Promise<string[]> {
  const migrations = await migrator(db).getMigrations()
  return migrations
    .filter((migration) => migration.executedAt === undefined)
    .map((migration) => migration.name)
}
