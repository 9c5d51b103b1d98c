import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { isDatabaseUnavailable } from '../../../src/database/availability/unavailable.ts'
import { availabilityCheck, type Db, openDatabase } from '../../../src/database/client.ts'
import { startPostgres } from '../../../src/database/embedded/embedded.ts'

// A PostgreSQL of its own, as its settings apply to all databases on it.
const folder = await mkdtemp(join(tmpdir(), 'hearth-hanging-'))
const postgres = await startPostgres(join(folder, 'postgres'))
const db = openDatabase(postgres.adminUrl)
const operator = openDatabase(postgres.adminUrl)
const isUnavailable = availabilityCheck(db)
await sql`create table notes (note text)`.execute(db)
await sql`create table tries ()`.execute(db)
afterAll(async () => {
  await hang(false)
  await db.destroy()
  await operator.destroy()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

/** No commit gets on: it waits for a replica that there is not, as it would wait for a disk. */
async function hang(isHanging: boolean): Promise<void> {
  await sql
    .raw(`alter system set synchronous_standby_names = '${isHanging ? 'nobody' : ''}'`)
    .execute(operator)
  await sql`select pg_reload_conf()`.execute(operator)
  await vi.waitUntil(async () => (await commitHangs()) === isHanging, { timeout: 60_000 })
}

/** Whether a commit waits: the setting does not say so, as it counts from when the checkpointer has read it. */
async function commitHangs(): Promise<boolean> {
  const client = new pg.Client(postgres.adminUrl)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  let isOver = false
  const commit = client.query('insert into tries default values').then(() => {
    isOver = true
  })
  await vi.waitUntil(async () => isOver || (await isWaitingToCommit(rows[0]!.pid)), { timeout: 60_000 })
  const hangs = !isOver
  if (hangs) await sql`select pg_cancel_backend(${rows[0]!.pid})`.execute(operator)
  await commit
  await client.end()
  return hangs
}

async function isWaitingToCommit(pid: number): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where pid = ${pid} and wait_event = 'SyncRep'`.execute(operator)
  return rows.length > 0
}

function write(on: Db | Kysely<unknown>, note: string) {
  return sql`insert into notes values (${note})`.execute(on as Db)
}

test('while commits hang writes are refused within seconds, later ones at once, until commits get on', async () => {
  await hang(true)
  const started = performance.now()
  const error = await write(db, 'hangs').catch((reason: unknown) => reason)
  expect(isDatabaseUnavailable(error)).toBe(true)
  const waitedMs = performance.now() - started
  expect(waitedMs).toBeLessThan(20_000)
  expect(isUnavailable()).toBe(true)
  // PostgreSQL answers all the time, and is asked whether it does.
  await pause(700)
  expect(isUnavailable()).toBe(true)
  const next = performance.now()
  expect(isDatabaseUnavailable(await write(db, 'refused').catch((reason: unknown) => reason))).toBe(true)
  expect(performance.now() - next).toBeLessThan(waitedMs)

  await sql`alter system reset synchronous_standby_names`.execute(operator)
  await sql`select pg_reload_conf()`.execute(operator)
  await vi.waitUntil(() => !isUnavailable(), 60_000)
  await write(db, 'goes on')
  const { rows } = await sql<{ note: string }>`select note from notes where note <> 'hangs'`.execute(db)
  expect(rows).toEqual([{ note: 'goes on' }])
})

test('a locked table fails the requests that need it, and no others', async () => {
  await operator.transaction().execute(async (trx) => {
    await sql`lock table notes`.execute(trx)
    const refused = Promise.all(
      Array.from({ length: 4 }, () => write(db, 'locked out').catch((reason: unknown) => reason)),
    )
    let isOver = false
    void refused.then(() => {
      isOver = true
    })
    while (!isOver) {
      await sql`select 1`.execute(db)
      expect(isUnavailable()).toBe(false)
      await pause(50)
    }
    expect((await refused).every(isDatabaseUnavailable)).toBe(true)
  })
  await write(db, 'free again')
})
