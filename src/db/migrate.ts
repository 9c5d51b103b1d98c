import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { NewerDatabase, UnfitDatabase } from '../errors.ts'
import type { Db } from './client.ts'
import { examineDatabase } from './fitness.ts'

const migrationsDir = join(import.meta.dirname, '../../migrations')

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

/** What runs the migrations of this version. Tests go back with it; in production migrations are never reverted. */
export function migrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations: readMigrations } })
}

/**
 * Runs all pending migrations, all or nothing, under an advisory lock. Throws `NewerDatabase`, `UnfitDatabase`, or what
 * one of them throws.
 */
export async function migrateToLatest(db: Db): Promise<void> {
  if (await isLatest(db)) return
  const { unfit } = await examineDatabase(db)
  if (unfit.length > 0) throw new UnfitDatabase(unfit.join(' '))
  const { error } = await migrator(db).migrateToLatest()
  if (!error) return
  const newer = await listNewerMigrations(db).catch(() => [])
  throw newer.length > 0 ? new NewerDatabase(newer) : error
}

/** At nearly every start there is nothing to migrate, which two statements tell sooner than the migrator. */
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
