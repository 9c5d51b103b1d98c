import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { isDatabaseAway, isUndone } from '../db/away.ts'
import {
  analyzeTables,
  findFilledTable,
  inTransaction,
  listTables,
  lockTables,
  writeTable,
} from '../db/dump.ts'
import { listMigrations, migrateToLatest } from '../db/migrate.ts'
import { isInUse } from '../db/node-number.ts'
import { reasonOf } from '../errors.ts'
import { openFolderStore, type Store } from '../storage/store.ts'
import {
  filesPath,
  type Manifest,
  namingFolder,
  readFileList,
  readManifest,
  startTally,
  tablePath,
  tallied,
} from './backup-folder.ts'
import { CliError, type Command, count } from './command.ts'
import { type Installation, withRawInstallation } from './installation.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'brings a backup into an empty database and an empty store; no server may run there',
  parameters: ['folder'],
  options: {},
  async run({ parameters: [named] }, context) {
    const folder = resolve(named!)
    const manifest = await readManifest(folder)
    await refuseOtherVersion(manifest)
    await withRawInstallation(context, async (installation) => {
      await namingFolder(folder, () => bringBack(installation, folder, manifest))
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
      context.print(
        `Restored ${count(rows, 'row')} and ${count(manifest.files.count, 'file')} of ${manifest.made_at}.`,
      )
    })
  },
}

async function refuseOtherVersion({ migrations }: Manifest): Promise<void> {
  const own = await listMigrations()
  if (migrations.join() === own.join()) return
  const [theirs, ours] = [migrations.at(-1) ?? 'nothing', own.at(-1)]
  throw new CliError(
    `The backup has the tables of ${theirs} and this version those of ${ours}: restore it with the version that made it.`,
  )
}

async function bringBack(installation: Installation, folder: string, manifest: Manifest): Promise<void> {
  const { db, databaseUrl, store } = installation
  if (await isInUse(db)) throw new CliError('A server runs on this database: stop it first.')
  for await (const name of store.list()) {
    throw new CliError(`The store is not empty, it holds ${name}: restore into an empty one.`)
  }
  // Before the migrations: they may find their own tables, but nobody's rows.
  await inTransaction(databaseUrl, 'read write', refuseFilled)
  await migrateToLatest(db)
  const written: string[] = []
  let isLoaded = false
  try {
    await inTransaction(databaseUrl, 'read write', async (client) => {
      await lockTables(client, await listTables(client))
      await refuseFilled(client)
      for (const table of manifest.tables) await loadTable(client, table, folder)
      await analyzeTables(client)
      // Before the commit: a file is in the store before the row that names it.
      await loadFiles(store, folder, manifest, written)
      isLoaded = true
    })
  } catch (error) {
    // Once all is loaded, only the commit can have failed.
    if (isLoaded && !isUndone(error) && (await isCommitted(databaseUrl))) return
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
      return (await findFilledTable(client, await listTables(client))) !== undefined
    })
  } catch (error) {
    throw new CliError(
      `The database went away at the end (${reasonOf(error)}): it has all rows or none, and the store has all files, which are to be removed if it has none.`,
    )
  }
}

async function refuseFilled(client: pg.Client): Promise<void> {
  const filled = await findFilledTable(client, await listTables(client))
  if (filled !== undefined) {
    throw new CliError(`The database is not empty, ${filled} has rows: restore into an empty one.`)
  }
}

async function loadTable(
  client: pg.Client,
  table: Manifest['tables'][number],
  folder: string,
): Promise<void> {
  const path = tablePath(folder, table.name)
  const tally = startTally()
  const writer = writeTable(client, table)
  await pipeline(tallied(createReadStream(path), tally), writer).catch((error: Error) => {
    if (!(error instanceof pg.DatabaseError) || isDatabaseAway(error)) throw error
    throw new CliError(`${path} is damaged: ${error.message}.`)
  })
  if (tally.sha256() !== table.sha256 || writer.rowCount !== table.rows) {
    throw new CliError(`${path} is damaged: it is not what the manifest says.`)
  }
}

/** Copies the listed files; `written` has the names of those that may be there, also when it fails. */
async function loadFiles(store: Store, folder: string, manifest: Manifest, written: string[]): Promise<void> {
  const source = openFolderStore(filesPath(folder))
  const listTally = startTally()
  for await (const { name, size, sha256 } of readFileList(folder, listTally)) {
    const found = await source.find(name)
    if (!found) throw new CliError(`The backup is damaged: its file ${name} is missing.`)
    const tally = startTally()
    written.push(name)
    await store.write(name, Readable.from(tallied(await found.open(), tally)))
    if (tally.bytes !== size || tally.sha256() !== sha256) {
      throw new CliError(`The backup is damaged: its file ${name} is not what files.jsonl says.`)
    }
  }
  if (written.length !== manifest.files.count || listTally.sha256() !== manifest.files.sha256) {
    throw new CliError('The backup is damaged: files.jsonl is not what the manifest says.')
  }
}
