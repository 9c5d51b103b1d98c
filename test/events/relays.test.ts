import { type RawBuilder, sql } from 'kysely'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Db } from '../../src/db/client.ts'
import { openPostgresRelay, sendOverPostgres } from '../../src/events/postgres-relay.ts'
import { openRedisRelay, sendOverRedis } from '../../src/events/redis-relay.ts'
import type { Relay } from '../../src/events/relay.ts'
import { startRedis } from '../support/redis.ts'
import { databaseUrl, db } from '../support/world.ts'

/** A real server where one is given, else the double. */
const given = process.env.TEST_REDIS_URL
const redis = given
  ? {
      url: given,
      hang: () => {},
      refuseSubscribers: () => {},
      connectionCount: () => 0,
      drop: () => {},
      stop: async () => {},
    }
  : await startRedis()
afterAll(() => redis.stop())

const relays = {
  PostgreSQL: {
    open: () => openPostgresRelay(db, databaseUrl),
    breakConnections: async () => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'hearth events'`.execute(db)
    },
  },
  Redis: {
    open: () => openRedisRelay(redis.url),
    breakConnections: async () => redis.drop(),
  },
}

/** A relay with what it has received. */
async function listening(open: () => Promise<Relay>): Promise<{ relay: Relay; received: string[] }> {
  const relay = await open()
  onTestFinished(() => relay.close())
  const received: string[] = []
  relay.listen((text) => received.push(text))
  return { relay, received }
}

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

describe.each(Object.entries(relays))('the relay over %s', (_name, { open, breakConnections }) => {
  test('brings everything to every other process, once and in one order, and nothing back to the sender', async () => {
    const [one, other, third] = await Promise.all([listening(open), listening(open), listening(open)])
    const texts = Array.from({ length: 50 }, (_, n) => `${n} ${'é'.repeat(10_000)}`)
    await Promise.all(
      texts.flatMap((text) => [one.relay.send(`one ${text}`), other.relay.send(`other ${text}`)]),
    )
    await expect.poll(() => third.received).toHaveLength(100)
    expect(new Set(third.received).size).toBe(100)
    await expect.poll(() => one.received).toHaveLength(50)
    expect(one.received).toEqual(third.received.filter((text) => text.startsWith('other')))
    expect(other.received.every((text) => text.startsWith('one'))).toBe(true)
  })

  test('a relay whose connections broke delivers again', async () => {
    const [one, other] = await Promise.all([listening(open), listening(open)])
    await breakConnections()
    await vi.waitFor(async () => {
      await one.relay.send('again')
      expect(other.received).toContain('again')
    }, 10_000)
  })
})

test.skipIf(given)(
  'over Redis, nothing waits for ever for a Redis that hangs, and it is found again',
  async () => {
    const [one, other] = [await listening(relays.Redis.open), await listening(relays.Redis.open)]
    redis.hang(true)
    await expect(one.relay.send('lost')).rejects.toThrow()
    redis.hang(false)
    await vi.waitFor(async () => {
      await one.relay.send('again')
      expect(other.received).toContain('again')
    }, 20_000)
  },
  40_000,
)

test.skipIf(given)('over Redis, nothing stays open where the channel may not be subscribed to', async () => {
  redis.refuseSubscribers(true)
  onTestFinished(() => redis.refuseSubscribers(false))
  await expect.poll(() => redis.connectionCount()).toBe(0)
  await expect(openRedisRelay(redis.url)).rejects.toThrow('NOPERM')
  await expect.poll(() => redis.connectionCount()).toBe(0)
})

test('over PostgreSQL, what was sent while the listener was away is not missed', async () => {
  const [one, other] = await Promise.all([
    listening(relays.PostgreSQL.open),
    listening(relays.PostgreSQL.open),
  ])
  await relays.PostgreSQL.breakConnections()
  await one.relay.send('meanwhile')
  await expect.poll(() => other.received).toEqual(['meanwhile'])
})

test('over PostgreSQL, what comes after a crash that emptied the table and began its ids anew is not missed', async () => {
  const [one, other] = await Promise.all([
    listening(relays.PostgreSQL.open),
    listening(relays.PostgreSQL.open),
  ])
  await one.relay.send('before')
  await expect.poll(() => other.received).toEqual(['before'])
  await sql`truncate bus_events restart identity`.execute(db)
  await one.relay.send('after')
  await relays.PostgreSQL.breakConnections()
  await expect.poll(() => other.received).toEqual(['before', 'after'])
})

test('over PostgreSQL, a connection that breaks again before it is in use is opened anew', async () => {
  const { received } = await listening(relays.PostgreSQL.open)
  const listeners = () => pidsOf(sql`application_name = 'hearth events'`)
  const [first] = await listeners()
  await db.transaction().execute(async (trx) => {
    await sql`lock table bus_events`.execute(trx)
    await relays.PostgreSQL.breakConnections()
    await vi.waitFor(async () => {
      expect((await listeners()).filter((pid) => pid !== first)).toHaveLength(1)
      expect(await pidsOf(sql`wait_event_type = 'Lock'`)).not.toEqual([])
    }, 10_000)
    await relays.PostgreSQL.breakConnections()
    await expect.poll(() => listeners()).toEqual([])
  })
  for (const text of ['one', 'other']) {
    await sendOverPostgres(db, text)
    await expect.poll(() => received).toContain(text)
  }
})

/** The processes of the connections to this database that are like that. */
async function pidsOf(where: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and ${where}`.execute(db)
  return rows.map(({ pid }) => pid)
}

test('over PostgreSQL, it holds one connection, however often it had to try until the pool was back', async () => {
  let failures = Number.NEGATIVE_INFINITY
  const pool = watched((name) => {
    if (name === 'selectFrom' && failures++ >= 0) throw new Error('away')
  })
  const { received } = await listening(() => openPostgresRelay(pool, databaseUrl))
  failures = 0
  await relays.PostgreSQL.breakConnections()
  await expect.poll(() => failures).toBeGreaterThan(2)
  failures = Number.NEGATIVE_INFINITY
  await sql`insert into bus_events (sender, payload) values ('another', 'back')`.execute(db)
  await expect.poll(() => received).toEqual(['back'])
  expect(await pidsOf(sql`application_name = 'hearth events'`)).toHaveLength(1)
})

test('over PostgreSQL, what comes after a crash is not missed either when the listener is back before it', async () => {
  let reads = 0
  const counting = watched((name) => {
    if (name === 'selectFrom') reads += 1
  })
  const one = await listening(relays.PostgreSQL.open)
  const other = await listening(() => openPostgresRelay(counting, databaseUrl))
  await one.relay.send('before')
  await expect.poll(() => other.received).toEqual(['before'])
  await sql`truncate bus_events restart identity`.execute(db)
  reads = 0
  await relays.PostgreSQL.breakConnections()
  // It asks where to go on, and reads from there.
  await expect.poll(() => reads).toBeGreaterThanOrEqual(2)
  await one.relay.send('after')
  await expect.poll(() => other.received).toEqual(['before', 'after'])
})

test('over PostgreSQL, what was sent before a process started does not reach it', async () => {
  const one = await listening(relays.PostgreSQL.open)
  await one.relay.send('before')
  const late = await listening(relays.PostgreSQL.open)
  await one.relay.send('after')
  await expect.poll(() => late.received).toContain('after')
  expect(late.received).toEqual(['after'])
})

test('over PostgreSQL, the rows of many who call at once are read together', async () => {
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

test('over PostgreSQL, what is older than a minute is deleted, and nothing else', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { relay } = await listening(relays.PostgreSQL.open)
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

test('over PostgreSQL, what could not be read is read again, though nothing else comes', async () => {
  let failures = 0
  const pool = new Proxy(db, {
    get(target, name) {
      if (name === 'selectFrom' && failures-- > 0) return () => target.selectFrom('nothing' as 'bus_events')
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const one = await listening(relays.PostgreSQL.open)
  const { received } = await listening(() => openPostgresRelay(pool as Db, databaseUrl))
  // The first read of all may still be to come.
  failures = 2
  await one.relay.send('once')
  await vi.waitFor(() => expect(received).toEqual(['once']), 5_000)
})

test('over Redis, what uses another database of the same server hears nothing', async () => {
  const there = new URL('/1', redis.url).href
  const [here, elsewhere] = [await listening(relays.Redis.open), await listening(() => openRedisRelay(there))]
  const beside = await listening(() => openRedisRelay(there))
  await elsewhere.relay.send('of the other')
  await sendOverRedis(there, 'of its command')
  await expect.poll(() => beside.received).toEqual(['of the other', 'of its command'])
  await sendOverRedis(redis.url, 'last')
  await expect.poll(() => here.received).toEqual(['last'])
})
