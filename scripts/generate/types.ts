// Writes src/database/schema.ts from a freshly migrated database: npm run generate types
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/client.ts'
import { startPostgres } from '../../src/database/embedded/embedded.ts'
import { migrateToLatest } from '../../src/database/migrations/migrate.ts'

const dir = await mkdtemp(join(tmpdir(), 'hearth-types-'))
const postgres = await startPostgres(join(dir, 'postgres'), ['fsync=off'])
try {
  const db = openDatabase(postgres.url)
  await migrateToLatest(db)
  await db.destroy()
  const { status } = spawnSync('npx', ['kysely-codegen', '--url', postgres.url], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
