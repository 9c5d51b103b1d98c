import pg from 'pg'
import { openDatabase } from '../../src/database/client.ts'
import { migrateToLatest } from '../../src/database/migrations/migrate.ts'
import { databaseOn } from '../../test/support/database-server.ts'
import { parentOf } from './processes.ts'
import { type SearchSize, seedSearch } from './search.ts'
import { type Size, seed } from './seed.ts'

/** Runs one statement on a database. */
export async function onDatabase(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The address of a migrated database with so much in it. */
export function prepareDatabase(serverUrl: string, size: Size): Promise<string> {
  return prepare(serverUrl, `bench_${size.messages}`, (url) => seed(url, size))
}

/** The address of a migrated database with a house to search in. */
export function prepareSearchDatabase(serverUrl: string, size: SearchSize): Promise<string> {
  return prepare(serverUrl, `bench_search_${size.messages}`, (url) => seedSearch(url, size))
}

/** A migrated and filled database. It is filled once, under another name: later runs find it whole. */
async function prepare(
  serverUrl: string,
  name: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const seeding = `${name}_seeding`
  const { rowCount } = await onDatabase(serverUrl, `select from pg_database where datname = '${name}'`)
  if (rowCount === 0) {
    console.log(`seeding ${name} …`)
    await onDatabase(serverUrl, `drop database if exists ${seeding}`)
    await onDatabase(serverUrl, `create database ${seeding}`)
    await migrate(databaseOn(serverUrl, seeding))
    await fill(databaseOn(serverUrl, seeding))
    await onDatabase(serverUrl, `alter database ${seeding} rename to ${name}`)
  }
  const databaseUrl = databaseOn(serverUrl, name)
  await migrate(databaseUrl)
  return databaseUrl
}

/** Brings a database into the form of this version. */
export async function migrate(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl)
  await migrateToLatest(db).finally(() => db.destroy())
}

/** A copy of a database for this run to write to, in place of that of the last run. */
export async function copyDatabase(serverUrl: string, databaseUrl: string): Promise<string> {
  const name = 'bench_written'
  await onDatabase(serverUrl, `drop database if exists ${name}`)
  await onDatabase(serverUrl, `create database ${name} template ${new URL(databaseUrl).pathname.slice(1)}`)
  return databaseOn(serverUrl, name)
}

/** The process id of the PostgreSQL server: the parent of the process of a connection. */
export async function findPostmaster(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return await parentOf(rows[0]!.pid)
  } finally {
    await client.end()
  }
}
