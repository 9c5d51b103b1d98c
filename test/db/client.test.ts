import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isDatabaseAway } from '../../src/db/away.ts'
import { db } from '../support/world.ts'

test('a connection that breaks between two statements of a transaction fails that transaction alone', async () => {
  const failing = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() pid`.execute(trx)
    await sql`select pg_terminate_backend(${rows[0]!.pid}, 5000)`.execute(db)
    await sql`select 1`.execute(db)
    await sql`select 1`.execute(trx)
  })
  const error = await failing.catch((reason: unknown) => reason)
  expect(isDatabaseAway(error)).toBe(true)
  const { rows } = await sql`select 1 one`.execute(db)
  expect(rows).toEqual([{ one: 1 }])
})
