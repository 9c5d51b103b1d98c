import { sql } from 'kysely'
import type { Db } from '../client.ts'

const oldestPostgres = 150_000

/** The PostgreSQL version, and a sentence for each reason why Hearth cannot use the database. */
export async function checkCompatibility(db: Db): Promise<{ shown: string; unfit: string[] }> {
  const { rows } = await sql<{ version: string; shown: string; encoding: string }>`
    select current_setting('server_version_num') as version, current_setting('server_version') as shown,
      current_setting('server_encoding') as encoding`.execute(db)
  const { version, shown, encoding } = rows[0]!
  const unfit = []
  if (Number(version) < oldestPostgres) unfit.push(`PostgreSQL is ${shown} and must be 15 or newer.`)
  // In SQL_ASCII, PostgreSQL counts bytes where lengths are in code points, and knows no letter past ASCII.
  if (encoding !== 'UTF8') {
    unfit.push(
      `The database has the encoding ${encoding} and must have UTF8: create one with "createdb -E UTF8 -T template0".`,
    )
  }
  return { shown, unfit }
}
