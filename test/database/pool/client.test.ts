import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isDatabaseUnavailable } from '../../../src/database/availability/unavailable.ts'
import { openDatabase, poolStats } from '../../../src/database/client.ts'
import { databaseUrl, db } from '../../support/world.ts'

test('a connection that breaks between two statements of a transaction fails that transaction alone', async () => {
  const failing = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() pid`.execute(trx)
    await sql`select pg_terminate_backend(${rows[0]!.pid}::int, 5000)`.execute(db)
    await sql`select 1`.execute(db)
    await sql`select 1`.execute(trx)
  })
  const error = await failing.catch((reason: unknown) => reason)
  expect(isDatabaseUnavailable(error)).toBe(true)
  const { rows } = await sql`select 1 one`.execute(db)
  expect(rows).toEqual([{ one: 1 }])
})

/** A pool whose ten connections are in use until they are released, under a fake clock. */
async function poolInUse() {
  const pool = openDatabase(databaseUrl)
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  let begun = 0
  const transactions = Array.from({ length: 10 }, () =>
    pool.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx)
      begun += 1
      await held
    }),
  )
  await vi.waitUntil(() => begun === 10, { timeout: 60_000 })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    // What goes on in the background has set some as well.
    vi.runOnlyPendingTimers()
    vi.useRealTimers()
  })
  const ask = () => sql`select 1`.execute(pool)
  const free = async () => {
    letGo()
    await Promise.all(transactions)
  }
  return { pool, ask, free }
}

test('a connection that comes free after its request has given up serves others', async () => {
  const { pool, ask, free } = await poolInUse()
  const late = ask().catch((error: Error) => error.message)
  for (let turn = 0; turn < 8; turn += 1) {
    await new Promise(setImmediate)
    vi.advanceTimersByTime(250)
  }
  expect(await late).toBe('no connection came free in time')
  await free()
  expect(poolStats(pool)).toEqual({ total: 10, idle: 10, waiting: 0 })
  await pool.destroy()
})

test('while five hundred wait for a connection the next one is refused at once, and they are served', async () => {
  const { pool, ask, free } = await poolInUse()
  const served = Promise.all(Array.from({ length: 500 }, ask))
  const refused = await ask().catch((error: Error) => error.message)
  expect([refused, poolStats(pool).waiting]).toEqual(['too many wait for the database', 500])
  await free()
  expect(await served).toHaveLength(500)
  await pool.destroy()
})

test('a connection on which the server may only be read is replaced, as another server may have taken its name', async () => {
  const moved = openDatabase(databaseUrl)
  onTestFinished(() => moved.destroy())
  const write = () => sql`create sequence written`.execute(moved)
  onTestFinished(async () => void (await sql`drop sequence written`.execute(db)))
  await sql`set default_transaction_read_only = on`.execute(moved)
  expect(isDatabaseUnavailable(await write().catch((error: unknown) => error))).toBe(true)
  await write()
})
