import { type RawBuilder, sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Db } from '../../src/db/client.ts'
import { openPostgresRelay, sendOverPostgres } from '../../src/events/postgres-relay.ts'
import { listening, postgres } from '../support/relays.ts'
import { databaseUrl, db } from '../support/world.ts'

/** The pool, with what is called on it made known before. */
function watched(onUse: (name: string | symbol) => void): Db {
  return new Proxy(db, {
    get(target, name) {
      onUse(name)
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Db
}

/** The processes of the connections to this database that are like that. */
async function pidsOf(where: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and ${where}`.execute(db)
  return rows.map(({ pid }) => pid)
}

test('what was sent while the listener was away is not missed', async () => {
  const [one, other] = await Promise.all([listening(postgres.open), listening(postgres.open)])
  await postgres.breakConnections()
  await one.relay.send('meanwhile')
  await expect.poll(() => other.received).toEqual(['meanwhile'])
})

test('what comes after a crash that emptied the table and began its ids anew is not missed', async () => {
  const [one, other] = await Promise.all([listening(postgres.open), listening(postgres.open)])
  await one.relay.send('before')
  await expect.poll(() => other.received).toEqual(['before'])
  await sql`truncate bus_events restart identity`.execute(db)
  await one.relay.send('after')
  await postgres.breakConnections()
  await expect.poll(() => other.received).toEqual(['before', 'after'])
})

test('a connection that breaks again before it is in use is opened anew', async () => {
  const { received } = await listening(postgres.open)
  const listeners = () => pidsOf(sql`application_name = 'hearth events'`)
  const [first] = await listeners()
  await db.transaction().execute(async (trx) => {
    await sql`lock table bus_events`.execute(trx)
    await postgres.breakConnections()
    await vi.waitFor(async () => {
      expect((await listeners()).filter((pid) => pid !== first)).toHaveLength(1)
      expect(await pidsOf(sql`wait_event_type = 'Lock'`)).not.toEqual([])
    }, 10_000)
    await postgres.breakConnections()
    await expect.poll(() => listeners()).toEqual([])
  })
  for (const text of ['one', 'other']) {
    await sendOverPostgres(db, text)
    await expect.poll(() => received).toContain(text)
  }
})

test('it holds one connection, however often it had to try until the pool was back', async () => {
  let failures = Number.NEGATIVE_INFINITY
  const pool = watched((name) => {
    if (name === 'selectFrom' && failures++ >= 0) throw new Error('away')
  })
  const { received } = await listening(() => openPostgresRelay(pool, databaseUrl))
  failures = 0
  await postgres.breakConnections()
  await expect.poll(() => failures).toBeGreaterThan(2)
  failures = Number.NEGATIVE_INFINITY
  await sql`insert into bus_events (sender, payload) values ('another', 'back')`.execute(db)
  await expect.poll(() => received).toEqual(['back'])
  expect(await pidsOf(sql`application_name = 'hearth events'`)).toHaveLength(1)
})

test('what comes after a crash is not missed either when the listener is back before it', async () => {
  let reads = 0
  const counting = watched((name) => {
    if (name === 'selectFrom') reads += 1
  })
  const one = await listening(postgres.open)
  const other = await listening(() => openPostgresRelay(counting, databaseUrl))
  await one.relay.send('before')
  await expect.poll(() => other.received).toEqual(['before'])
  await sql`truncate bus_events restart identity`.execute(db)
  reads = 0
  await postgres.breakConnections()
  // It asks where to go on, and reads from there.
  await expect.poll(() => reads).toBeGreaterThanOrEqual(2)
  await one.relay.send('after')
  await expect.poll(() => other.received).toEqual(['before', 'after'])
})

test('what was sent before a process started does not reach it', async () => {
  const one = await listening(postgres.open)
  await one.relay.send('before')
  const late = await listening(postgres.open)
  await one.relay.send('after')
  await expect.poll(() => late.received).toContain('after')
  expect(late.received).toEqual(['after'])
})

test('the rows of many who call at once are read together', async () => {
  let reads = 0
  const counting = watched((name) => {
    if (name === 'selectFrom') reads += 1
  })
  const { received } = await listening(() => openPostgresRelay(counting, databaseUrl))
  await sql`with added as (insert into bus_events (sender, payload) select 'another', 'row ' || n from generate_series(1, 100) as n)
    select pg_notify('hearth_events', caller::text) from generate_series(1, 100) as caller`.execute(db)
  await expect.poll(() => received).toHaveLength(100)
  await sendOverPostgres(db, 'last')
  await expect.poll(() => received).toContain('last')
  expect(reads).toBeLessThan(10)
})

test('what is older than a minute is deleted, and nothing else', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { relay } = await listening(postgres.open)
  await sql`delete from bus_events`.execute(db)
  await sql`insert into bus_events (sender, payload, created_at)
    values ('another', 'old', now() - interval '61 seconds'), ('another', 'new', now() - interval '50 seconds')`.execute(
    db,
  )
  vi.advanceTimersByTime(30_000)
  await vi.waitFor(async () => {
    const { rows } = await sql`select payload from bus_events`.execute(db)
    expect(rows).toEqual([{ payload: 'new' }])
  }, 10_000)
  await relay.send('newer')
})

test('what could not be read is read again, though nothing else comes', async () => {
  let failures = 0
  const pool = new Proxy(db, {
    get(target, name) {
      if (name === 'selectFrom' && failures-- > 0) return () => target.selectFrom('nothing' as 'bus_events')
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const one = await listening(postgres.open)
  const { received } = await listening(() => openPostgresRelay(pool as Db, databaseUrl))
  // The first read of all may still be to come.
  failures = 2
  await one.relay.send('once')
  await vi.waitFor(() => expect(received).toEqual(['once']), 5_000)
})
