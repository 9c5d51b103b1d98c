import { sql } from 'kysely'
import { NO_MIGRATIONS } from 'kysely/migration'
import { expect, test } from 'vitest'
import { listPendingMigrations, migrateToLatest, migrator } from '../../../src/database/migrations/migrate.ts'
import { ownWorld } from '../../support/own-world.ts'
import { db } from '../../support/world.ts'

await ownWorld()

/** Tables, columns, constraints and indexes of the database, as text to compare. */
async function describeDatabase(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) line
      from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'
    union all
    select format('%s %s', conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace and conrelid::regclass::text not like 'kysely%'
    union all
    select indexdef from pg_indexes where schemaname = 'public' and tablename not like 'kysely%'
    union all
    select format('%s()', proname) from pg_proc where pronamespace = 'public'::regnamespace
    order by line`.execute(db)
  return rows.map((row) => row.line)
}

test('the migrations go up, down to nothing and up again to the same database', async () => {
  const before = await describeDatabase()
  await migrator(db).migrateTo(NO_MIGRATIONS)
  expect(await describeDatabase()).toEqual([])
  await migrateToLatest(db)
  expect(await describeDatabase()).toEqual(before)
})

test('two processes that migrate at once both find the database migrated', async () => {
  await migrator(db).migrateTo(NO_MIGRATIONS)
  await Promise.all([migrateToLatest(db), migrateToLatest(db)])
  expect(await listPendingMigrations(db)).toEqual([])
})
