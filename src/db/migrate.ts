import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Migration, Migrator } from 'kysely/migration'
import type { Db } from './client.ts'

const migrationsDir = join(import.meta.dirname, '../../migrations')

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.ts')).sort()
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(join(migrationsDir, file)).href) as Promise<Migration>),
  )
  return Object.fromEntries(files.map((file, index) => [file.replace(/\.ts$/, ''), modules[index]!]))
}

/** What runs the migrations of this version. Tests go back with it; in production migrations are never reverted. */
export function migrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations: readMigrations } })
}

/** Runs all pending migrations, all or nothing, under an advisory lock. Throws what a migration throws. */
export async function migrateToLatest(db: Db): Promise<void> {
  const { error } = await migrator(db).migrateToLatest()
  if (error) throw error
}

/** The names of the migrations of this version, in order. */
export async function listMigrations(): Promise<string[]> {
  return Object.keys(await readMigrations())
}

/** The names of the migrations of this version that the database does not have yet, in order. */
export async function listPendingMigrations(db: Db): Promise<string[]> {
  const migrations = await migrator(db).getMigrations()
  return migrations
    .filter((migration) => migration.executedAt === undefined)
    .map((migration) => migration.name)
}
