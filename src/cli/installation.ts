import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { type Db, openDatabaseWithoutTimeouts } from '../database/client.ts'
import { findRunningPostgres, startPostgres } from '../database/embedded/embedded.ts'
import { listPendingMigrations } from '../database/migrations/migrate.ts'
import { claimNodeNumber, resumeIdsAfterNewest } from '../database/node-number.ts'
import { type FreeSpace, spaceReader } from '../database/space/free-space.ts'
import { stateOf } from '../database/space/watch-space.ts'
import { openStore } from '../storage/open.ts'
import type { Store } from '../storage/store.ts'
import { CliError, type CommandContext, count } from './command.ts'

/** The database and the files of a server with this environment. */
export type Installation = { config: Config; databaseUrl: string; db: Db; store: Store }

/** Works on the installation as it is, its migrations possibly pending. No ids may be made. */
export async function withRawInstallation<Result>(
  { environment }: CommandContext,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(environment)
  const { url, stop } = await findOrStartDatabase(config)
  const db = openDatabaseWithoutTimeouts(url)
  try {
    return await work({ config, databaseUrl: url, db, store: await openStore(config.storageUrl) })
  } finally {
    await db.destroy()
    await stop()
  }
}

/**
 * Works on the installation. Throws `CliError` when it has no database yet, instead of making one: DATA_DIR, or the
 * folder it is relative to, may be a wrong one. So it does when migrations are pending.
 */
export async function withInstallation<Result>(
  context: CommandContext,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(context.environment)
  if (!hasDatabase(config)) {
    throw new CliError(`There is no database in ${config.dataDir}: start the server first, or set DATA_DIR.`)
  }
  return withRawInstallation(context, async (installation) => {
    const pending = await listPendingMigrations(installation.db)
    if (pending.length > 0) {
      throw new CliError(
        `${count(pending.length, 'migration')} pending: run "npm run hearth -- migrate" first.`,
      )
    }
    const node = await claimNodeNumber(installation.databaseUrl)
    try {
      await resumeIdsAfterNewest(installation.db)
      return await work(installation)
    } finally {
      await node.release()
    }
  })
}

/** The folder of the embedded database. */
function postgresFolder(config: Config): string {
  return join(config.dataDir, 'postgres')
}

/** How to read the free space of the database; undefined where it is not known. */
export function readerOfSpace(config: Config, db: Db): (() => Promise<FreeSpace>) | undefined {
  return spaceReader(db, config, config.databaseUrl === undefined ? postgresFolder(config) : undefined)
}

/** Throws `CliError` while the disk of the database is full. */
export async function requireSpace(config: Config, db: Db): Promise<void> {
  const space = await readerOfSpace(config, db)?.()
  if (space === undefined || stateOf(space) !== 'full') return
  throw new CliError('The disk of the database has less than STORAGE_RESERVE free: nothing was written.')
}

/** Whether there is a database: DATABASE_URL names one, or the embedded one was started before. */
export function hasDatabase(config: Config): boolean {
  return config.databaseUrl !== undefined || existsSync(join(postgresFolder(config), 'data', 'PG_VERSION'))
}

/** The database of DATABASE_URL, else the embedded one: that of a running server, or one started for the command. */
async function findOrStartDatabase(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, stop: async () => {} }
  const running = await findRunningPostgres(postgresFolder(config))
  if (running !== undefined) return { url: running, stop: async () => {} }
  return startPostgres(postgresFolder(config))
}
