import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '../../src/db/client.ts'
import { migrateToLatest } from '../../src/db/migrate.ts'
import { type Size, seed } from './seed.ts'

/** Runs one statement on a database. */
export async function onDatabase(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const result = await client.query(statement)
  await client.end()
  return result
}

/** A migrated database, seeded once: later runs find it in the cache folder. */
export async function prepareDatabase(
  cache: string,
  serverUrl: string,
  name: string,
  size: Size,
): Promise<string> {
  const address = new URL(serverUrl)
  address.pathname = `/${name}`
  const done = join(cache, `${name}.seeded`)
  if (!existsSync(done)) {
    console.log(`seeding ${name} with ${size.messages.toLocaleString('en')} messages …`)
    await onDatabase(serverUrl, `drop database if exists ${name}`)
    await onDatabase(serverUrl, `create database ${name}`)
  }
  const db = openDatabase(address.href)
  await migrateToLatest(db)
  await db.destroy()
  if (!existsSync(done)) {
    await seed(address.href, size)
    await writeFile(done, '')
  }
  return address.href
}
