import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Db, openDatabaseWithoutTimeouts } from '../../../src/database/client.ts'
import { startPostgres } from '../../../src/database/embedded/embedded.ts'
import { type Server, startServer } from '../../../test/support/server.ts'
import { makeFolder } from './run-folder.ts'

const run = promisify(execFile)

/** A folder with a PostgreSQL in it, on which servers can be started. */
export type Stage = {
  folder: string
  databaseUrl: string
  db: Db
  /** Starts a server on the database; `environment` goes over what is usual: no rate limits, only errors logged. */
  startServer(environment?: Record<string, string>): Promise<Server>
  /** Stops the servers that run, as an operator would. */
  stopServers(): Promise<void>
  /** Takes everything down, servers that still run included. */
  close(): Promise<void>
}

/**
 * Brings up a PostgreSQL in a folder of its own, which may be a given one; `settings` are further `name=value` settings
 * for it. A folder of its own is removed in the end.
 */
export async function openStage(settings: string[] = [], given?: string): Promise<Stage> {
  const folder = given ?? (await copyCluster())
  const postgres = await startPostgres(join(folder, 'postgres'), settings)
  const db = openDatabaseWithoutTimeouts(postgres.adminUrl)
  const servers = new Set<Server>()
  return {
    folder,
    databaseUrl: postgres.adminUrl,
    db,
    async startServer(environment = {}) {
      const usual = { DATABASE_URL: postgres.adminUrl, LOG_LEVEL: 'error' }
      const server = await startServer(folder, { environment: { ...usual, ...environment } })
      servers.add(server)
      server.child.once('exit', () => servers.delete(server))
      return server
    },
    async stopServers() {
      await Promise.all([...servers].map((server) => server.end()))
    },
    async close() {
      await Promise.all([...servers].map((server) => server.end('SIGKILL')))
      await db.destroy()
      await postgres.stop()
      if (given === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A PostgreSQL that is initialised once and then copied: to do so for every part would take a seventh of the quick run. */
let initialised: Promise<string> | undefined

/** A folder of its own with a PostgreSQL in it that has not run yet. */
async function copyCluster(): Promise<string> {
  initialised ??= initialiseCluster()
  const folder = await makeFolder('stage-')
  // Unlike the one of Node, it leaves files to whom they belong.
  await run('cp', ['-a', join(await initialised, 'postgres'), folder])
  return folder
}

async function initialiseCluster(): Promise<string> {
  const folder = await makeFolder('initialised-')
  await (await startPostgres(join(folder, 'postgres'))).stop()
  return folder
}
