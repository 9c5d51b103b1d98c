import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { backupVerified, writeServerAudit } from '../administration/audit-log/operations.ts'
import {
  type DumpedTable,
  inTransaction,
  listAppliedMigrations,
  listTables,
  readTable,
} from '../database/dump.ts'
import { makeFolder } from '../database/embedded/folders.ts'
import { withheldFiles } from '../database/withheld.ts'
import { StoreUnavailable } from '../errors.ts'
import { openFolderStore, type Store } from '../storage/store.ts'
import {
  countedBy,
  createFile,
  createTally,
  fileListPath,
  filesPath,
  type ListedFile,
  type Manifest,
  tablePath,
  withFolderErrors,
  writeManifest,
} from './backup-folder.ts'
import { CliError, type Command, count } from './command.ts'
import { withInstallation } from './installation.ts'
import { interruptible } from './interruption.ts'
import { openScratchDatabase, verifyBackup } from './verify-backup.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'Copy database and files into a new folder; the server may run',
  parameters: ['folder'],
  options: {
    verify: {
      type: 'boolean',
      summary: 'restore the backup into a PostgreSQL of its own, and compare what is in it',
    },
  },
  async run({ parameters: [named], options }, context) {
    const folder = resolve(named!)
    await withInstallation(context, async ({ config, db, databaseUrl, store }) => {
      const manifest = await withFolderErrors(folder, () => backUp(databaseUrl, store, folder))
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
      context.print(
        `${folder} holds ${count(rows, 'row')} of ${count(manifest.tables.length, 'table')} and ${count(manifest.files.count, 'file')}.`,
      )
      if (!options.verify) return
      const openScratch = () => openScratchDatabase(config.databaseUrl)
      await interruptible('The backup is made, but was not verified to the end.', (signal) =>
        withFolderErrors(folder, () => verifyBackup(folder, openScratch, signal)),
      )
      await writeServerAudit(db, null, backupVerified, null)
      context.print('A restore of it has the same rows and files.')
    })
  },
}

/** Copies a database, in the form that it has, and the files of a store. Returns what the manifest says. */
export async function backUp(
  databaseUrl: string,
  store: Store,
  folder: string,
): Promise<Omit<Manifest, 'format'>> {
  await makeBackupFolder(folder)
  const made_at = new Date().toISOString()
  const snapshot = await inTransaction(
    databaseUrl,
    'isolation level repeatable read read only',
    async (client) => {
      const migrations = await listAppliedMigrations(client)
      const tables: Manifest['tables'] = []
      for (const table of await listTables(client)) tables.push(await saveTable(client, table, folder))
      return { migrations, tables }
    },
  )
  // After the rows: a file is in the store before the row that names it.
  const files = await saveFiles(store, folder)
  const manifest = { made_at, ...snapshot, files }
  await writeManifest(folder, manifest)
  return manifest
}

async function makeBackupFolder(folder: string): Promise<void> {
  await makeFolder(folder)
  if ((await readdir(folder)).length > 0) throw new CliError(`${folder} is not empty: name a new folder.`)
  await chmod(folder, 0o700)
  // In a checkout, no `git add` takes the password hashes along.
  await writeFile(join(folder, '.gitignore'), '*\n', { mode: 0o600 })
  await mkdir(join(folder, 'database'))
  await mkdir(filesPath(folder))
}

async function saveTable(client: pg.Client, { name, columns }: DumpedTable, folder: string) {
  const tally = createTally()
  const reader = readTable(client, { name, columns })
  await pipeline(countedBy(reader, tally), createFile(tablePath(folder, name)))
  return { name, columns, rows: reader.rowCount, sha256: tally.sha256() }
}

/** Copies the files of a store into the folder of a backup, with a list of them. */
export async function saveFiles(store: Store, folder: string): Promise<Manifest['files']> {
  const target = openFolderStore(filesPath(folder))
  const tally = createTally()
  let saved = 0
  async function* saveAll(): AsyncGenerator<Buffer> {
    for await (const name of store.list()) {
      if (name.startsWith(withheldFiles)) continue
      const file = await saveFile(store, target, name)
      if (!file) continue
      saved += 1
      yield Buffer.from(`${JSON.stringify(file)}\n`)
    }
  }
  await pipeline(countedBy(saveAll(), tally), createFile(fileListPath(folder)))
  return { count: saved, sha256: tally.sha256() }
}

/** The store that is full is the folder of the backup, not that of the installation. */
function throwCause(error: Error): never {
  throw error instanceof StoreUnavailable ? error.cause : error
}

/** Undefined when the file has been erased in the meantime: no row of now names it. */
async function saveFile(store: Store, target: Store, name: string): Promise<ListedFile | undefined> {
  const tally = createTally()
  try {
    const found = await store.find(name)
    if (!found) return undefined
    await target.write(name, Readable.from(countedBy(await found.open(), tally))).catch(throwCause)
  } catch (error) {
    if ((await store.find(name)) === undefined) return undefined
    throw error
  }
  return { name, size: tally.bytes, sha256: tally.sha256() }
}
