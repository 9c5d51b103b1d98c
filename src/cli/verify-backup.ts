import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { openDatabaseWithoutTimeouts } from '../database/client.ts'
import { inTransaction, listTables, readTable } from '../database/dump.ts'
import { startPostgres } from '../database/embedded/embedded.ts'
import { EmbeddedPostgresError } from '../database/embedded/embedded-account.ts'
import { DatabaseClient } from '../database/servers/database-client.ts'
import { withDatabase } from '../database/servers/database-url.ts'
import { reasonOf } from '../errors.ts'
import type { Store } from '../storage/store.ts'
import { createTally, type Manifest, readManifest } from './backup-folder.ts'
import { CliError } from './command.ts'
import { untilAborted } from './interruption.ts'
import { restoreBackup } from './restore.ts'

/** A database that is there for a while. */
type Scratch = { url: string; remove(): Promise<void> }

/**
 * Restores a backup into a database of its own, and compares what is there then with the manifest, file by file and
 * table by table. Throws `CliError` for the first difference. When the signal is aborted, the database is removed and
 * the reason thrown.
 */
export async function verifyBackup(
  folder: string,
  openScratch: () => Promise<Scratch>,
  signal: AbortSignal,
): Promise<void> {
  const manifest = await readManifest(folder)
  const scratch = await openScratch()
  try {
    // What is still under way when it is aborted fails as its database ends.
    await untilAborted(signal, async () => {
      await restoreInto(scratch.url, folder, manifest)
      await compareTables(scratch.url, manifest)
    })
  } finally {
    await scratch.remove()
  }
}

async function restoreInto(databaseUrl: string, folder: string, manifest: Manifest): Promise<void> {
  const db = openDatabaseWithoutTimeouts(databaseUrl)
  try {
    await restoreBackup({ db, databaseUrl, store: readingStore }, folder, manifest, 'all')
  } finally {
    await db.destroy()
  }
}

/** Takes every file and keeps none: that the backup has it, whole, is all that is to be known. */
const readingStore: Store = {
  checkSpace: async () => {},
  async write(_name, content) {
    if (!Buffer.isBuffer(content)) await finished(content.resume())
  },
  find: async () => undefined,
  remove: async () => {},
  async *list() {},
}

/** An embedded PostgreSQL where one is installed, else a database beside `databaseUrl`, that of the installation. */
export async function openScratchDatabase(databaseUrl: string | undefined): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-verify-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  try {
    const { url, stop } = await startPostgres(join(folder, 'postgres'), ['fsync=off'])
    return {
      url,
      async remove() {
        await stop()
        await removeFolder()
      },
    }
  } catch (error) {
    await removeFolder()
    if (!(error instanceof EmbeddedPostgresError) || databaseUrl === undefined) throw error
    return createScratchDatabase(databaseUrl)
  }
}

/** A new database beside that of the installation. Throws `CliError` where none may be created. */
export async function createScratchDatabase(databaseUrl: string): Promise<Scratch> {
  const name = `hearth_verify_${randomBytes(8).toString('hex')}`
  const form = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'"
  await onServer(databaseUrl, `create database ${name} ${form}`).catch((error: unknown) => {
    throw new CliError(`The backup is made, but cannot be verified: ${reasonOf(error)}.`)
  })
  return {
    url: withDatabase(databaseUrl, name),
    remove: () => onServer(databaseUrl, `drop database ${name} with (force)`),
  }
}

async function onServer(databaseUrl: string, statement: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: databaseUrl, application_name: 'hearth backup' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function compareTables(databaseUrl: string, { tables }: Manifest): Promise<void> {
  await inTransaction(databaseUrl, 'isolation level repeatable read read only', async (client) => {
    const present = (await listTables(client)).map(({ name }) => name)
    const expected = tables.map(({ name }) => name)
    if (present.sort().join() !== expected.sort().join()) {
      throw new CliError(`The backup has other tables than a restore of it: ${expected} and not ${present}.`)
    }
    for (const table of tables) {
      const counters = createTally()
      const reader = readTable(client, table)
      for await (const chunk of reader) counters.add(chunk)
      if (reader.rowCount !== table.rows || counters.sha256() !== table.sha256) {
        throw new CliError(`The table ${table.name} of a restore is not that of the backup.`)
      }
    }
  })
}
