import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { isDatabaseUnavailable, isRolledBack } from '../database/availability/unavailable.ts'
import {
  analyzeTables,
  deleteSessions,
  findNonEmptyTable,
  inTransaction,
  listAppliedMigrations,
  listTables,
  lockTables,
  setTriggers,
  writeTable,
} from '../database/dump.ts'
import { listMigrations, migrateEmpty } from '../database/migrations/migrate.ts'
import { isInUse } from '../database/node-number.ts'
import { reasonOf } from '../errors.ts'
import { openFolderStore, type Store } from '../storage/store.ts'
import {
  countedBy,
  createTally,
  filesPath,
  type Manifest,
  readFileList,
  readManifest,
  tablePath,
  withFolderErrors,
} from './backup-folder.ts'
import { CliError, type Command, count } from './command.ts'
import { type Installation, withRawInstallation } from './installation.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty database and an empty store; no server may use them',
  parameters: ['folder'],
  options: {
    'keep-sessions': {
      type: 'boolean',
      summary: 'keep the login sessions and the tokens of bots, which a restore ends otherwise',
    },
    'keep-bot-tokens': { type: 'boolean', summary: 'keep the tokens of bots' },
  },
  async run({ parameters: [named], options }, context) {
    const folder = resolve(named!)
    const manifest = await readManifest(folder)
    const isEarlier = await isOfEarlierVersion(manifest)
    await withRawInstallation(context, async (installation) => {
      const kept = options['keep-sessions'] ? 'all' : options['keep-bot-tokens'] ? 'bots' : 'none'
      await withFolderErrors(folder, () => restoreBackup(installation, folder, manifest, kept))
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
      context.print(
        `Restored ${count(rows, 'row')} and ${count(manifest.files.count, 'file')} of ${manifest.made_at}.`,
      )
      if (kept !== 'all') context.print(endedSessions[kept])
      if (isEarlier) context.print('The next start brings the tables into the form of this version.')
    })
  },
}

/** Whose login sessions a restore keeps. */
type KeptSessions = 'none' | 'bots' | 'all'

const endedSessions = {
  none: 'All login sessions and the tokens of all bots have ended.',
  bots: 'All login sessions of people have ended.',
}

/** Whether a backup lacks the latest migrations. Throws `CliError` for one with migrations that this version does not have. */
async function isOfEarlierVersion({ migrations }: Manifest): Promise<boolean> {
  const own = await listMigrations()
  const common = own.slice(0, migrations.length)
  if (migrations.length > 0 && migrations.join() === common.join()) return migrations.length < own.length
  const [theirs, ours] = [migrations.at(-1) ?? 'nothing', own.at(-1)]
  throw new CliError(
    `The backup has the tables of ${theirs} and this version those of ${ours}: restore it with the version that made it.`,
  )
}

/**
 * Restores a backup into an empty database and an empty store. Throws `CliError` where they are not empty, and where the
 * backup is not what its manifest says. `kept`: the login sessions that it does not end.
 */
export async function restoreBackup(
  installation: Pick<Installation, 'db' | 'databaseUrl' | 'store'>,
  folder: string,
  manifest: Manifest,
  kept: KeptSessions,
): Promise<void> {
  const { db, databaseUrl, store } = installation
  if (await isInUse(db)) throw new CliError('A server runs on this database: stop it first.')
  for await (const name of store.list()) {
    throw new CliError(`The store is not empty, it holds ${name}: restore into an empty one.`)
  }
  // Before the migrations, which may find their own tables but no rows of users.
  await inTransaction(databaseUrl, 'read write', refuseNonEmpty)
  await migrateEmpty(db, manifest.migrations.length)
  await inTransaction(databaseUrl, 'read write', (client) => refuseOtherForm(client, manifest))
  const written: string[] = []
  let isLoaded = false
  try {
    await inTransaction(databaseUrl, 'read write', async (client) => {
      const tables = await listTables(client)
      await lockTables(client, tables)
      await refuseNonEmpty(client)
      await setTriggers(client, 'disable')
      for (const table of inOrderOf(tables, manifest.tables)) await loadTable(client, table, folder)
      await setTriggers(client, 'enable')
      if (kept !== 'all') await deleteSessions(client, { ofBots: kept === 'none' })
      await analyzeTables(client)
      // Before the commit: a file is in the store before the row that names it.
      await loadFiles(store, folder, manifest, written)
      isLoaded = true
    })
  } catch (error) {
    // Once all is loaded, only the commit can have failed.
    if (isLoaded && !isRolledBack(error) && (await isCommitted(databaseUrl))) return
    for (const name of written) await store.remove(name)
    throw error
  }
}

/**
 * Whether the rows are there after a commit that was not answered. One that is still under way is waited for, as it
 * keeps the tables locked. Throws `CliError` when the database cannot be asked.
 */
async function isCommitted(databaseUrl: string): Promise<boolean> {
  try {
    return await inTransaction(databaseUrl, 'read write', async (client) => {
      return (await findNonEmptyTable(client, await listTables(client))) !== undefined
    })
  } catch (error) {
    throw new CliError(
      `The database went away at the end (${reasonOf(error)}): it has all rows or none, and the store has all files, which are to be removed if it has none.`,
    )
  }
}

/** In the order of the tables here: those of a distributed database refer to no others, and these here may. */
function inOrderOf<Table extends { name: string }>(
  tables: readonly { name: string }[],
  restored: readonly Table[],
): Table[] {
  const places = new Map(tables.map(({ name }, place) => [name, place]))
  return restored.toSorted((one, other) => places.get(one.name)! - places.get(other.name)!)
}

async function refuseNonEmpty(client: pg.Client): Promise<void> {
  const nonEmpty = await findNonEmptyTable(client, await listTables(client))
  if (nonEmpty !== undefined) {
    throw new CliError(`The database is not empty, ${nonEmpty} has rows: restore into an empty one.`)
  }
}

/** The rows of a backup fit the tables that they come from. */
async function refuseOtherForm(client: pg.Client, { migrations }: Manifest): Promise<void> {
  if ((await listAppliedMigrations(client)).join() === migrations.join()) return
  throw new CliError(
    'The database has the tables of a later version than the backup: restore into an empty one.',
  )
}

async function loadTable(
  client: pg.Client,
  table: Manifest['tables'][number],
  folder: string,
): Promise<void> {
  const path = tablePath(folder, table.name)
  const tally = createTally()
  const writer = writeTable(client, table)
  await pipeline(countedBy(createReadStream(path), tally), writer).catch((error: Error) => {
    if (!(error instanceof pg.DatabaseError) || isDatabaseUnavailable(error)) throw error
    throw new CliError(`${path} is damaged: ${error.message}.`)
  })
  if (tally.sha256() !== table.sha256 || writer.rowCount !== table.rows) {
    throw new CliError(`${path} is damaged: it is not what the manifest says.`)
  }
}

/** Copies the listed files; `written` has the names of those that may be there, also when it fails. */
async function loadFiles(store: Store, folder: string, manifest: Manifest, written: string[]): Promise<void> {
  const source = openFolderStore(filesPath(folder))
  const listTally = createTally()
  for await (const { name, size, sha256 } of readFileList(folder, listTally)) {
    const found = await source.find(name)
    if (!found) throw new CliError(`The backup is damaged: its file ${name} is missing.`)
    const tally = createTally()
    written.push(name)
    await store.write(name, Readable.from(countedBy(await found.open(), tally)))
    if (tally.bytes !== size || tally.sha256() !== sha256) {
      throw new CliError(`The backup is damaged: its file ${name} is not what files.jsonl says.`)
    }
  }
  if (written.length !== manifest.files.count || listTally.sha256() !== manifest.files.sha256) {
    throw new CliError('The backup is damaged: files.jsonl is not what the manifest says.')
  }
}
