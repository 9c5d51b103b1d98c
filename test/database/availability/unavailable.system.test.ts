import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { isDatabaseUnavailable } from '../../../src/database/availability/unavailable.ts'
import { availabilityCheck, openDatabase, poolStats } from '../../../src/database/client.ts'
import { sumOf } from '../../support/metrics.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { startServer } from '../../support/server.ts'
import { detour, openTcpProxy, type Weather } from '../../support/tcp-proxy.ts'
import {
  type Answer,
  databaseUrl,
  db,
  folder,
  house,
  type Person,
  unavailable,
  user,
} from '../../support/world.ts'

await ownWorld()

/** No request waits longer for a database that is unavailable: a few seconds, and a margin for a busy machine. */
const longestMs = 15_000
/** How long a known outage takes to be answered, on a busy machine at least now and then. */
const atOnceMs = 1_000
/** With the same margin: the database is checked four times a second. */
const backWithinMs = 30_000

const way = detour(databaseUrl)
const proxy = await openTcpProxy(way.target)
const proxied = openDatabase(way.through(proxy.port))
const isUnavailable = availabilityCheck(proxied)
const { call } = await otherApp({}, { db: proxied })
const ann = await user()
const den = await house({ owner: ann })

beforeEach(async () => {
  await proxy.set('fine')
  await recover(ann)
})
afterAll(async () => {
  await proxied.destroy()
  await proxy.close()
})

/** What the requests below answer while all is well. */
const usual = [200, 200, 200, 200, 400, 200]

let names = 0

/** Requests of every kind: hot reads, hot writes, transactions, with and without a caller. */
const requests: Record<string, () => Promise<Answer>> = {
  'own user': () => call(ann, 'GET', '/users/@me'),
  history: () => call(ann, 'GET', `/rooms/${den.room_id}/messages`),
  send: () => call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' }),
  'new house': () => call(ann, 'POST', '/houses', { name: 'Den' }),
  login: () => call(null, 'POST', '/auth/login', { login: 'nobody', password: 'correct horse' }),
  register: () => {
    names += 1
    const account = { email: `new${names}@example.org`, username: `new${names}`, password: 'correct horse' }
    return call(null, 'POST', '/auth/register', account)
  },
}

async function timed(request: () => Promise<Answer>): Promise<Answer & { ms: number }> {
  const started = performance.now()
  const answer = await request()
  return { ...answer, ms: performance.now() - started }
}

async function all(): Promise<(Answer & { ms: number })[]> {
  return Promise.all(Object.values(requests).map(timed))
}

/** Settles when the server serves again. */
async function recover(as: Person): Promise<void> {
  const started = Date.now()
  while ((await call(as, 'GET', '/users/@me')).status !== 200) {
    expect(Date.now() - started).toBeLessThan(backWithinMs)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe.each<Weather>(['refuse', 'reset', 'black hole'])('with the database unavailable (%s)', (weather) => {
  test('answers 503 with Retry-After during an outage, and recovers by itself', async () => {
    const before = await all()
    expect(before.map((answer) => answer.status)).toEqual(usual)
    await proxy.set(weather)
    const during = await all()
    for (const answer of during) {
      expect([answer.status, answer.body]).toEqual([503, unavailable])
      expect(answer.headers['retry-after']).toBe('1')
      expect(answer.ms).toBeLessThan(longestMs)
    }
    await expect.poll(isUnavailable).toBe(true)
    const known = await all()
    for (const answer of known) {
      expect([answer.status, answer.body]).toEqual([503, unavailable])
      expect(answer.ms).toBeLessThan(longestMs)
    }
    expect(Math.min(...known.map(({ ms }) => ms))).toBeLessThan(atOnceMs)
    expect((await call(null, 'GET', '/ready')).status).toBe(503)
    expect((await call(null, 'GET', '/health')).status).toBe(200)
    const metrics = await call(null, 'GET', '/metrics')
    expect([metrics.status, sumOf(metrics.text, 'hearth_database_server')]).toEqual([200, 0])
    await proxy.set('fine')
    await recover(ann)
    expect((await call(null, 'GET', '/ready')).status).toBe(200)
    expect(sumOf((await call(null, 'GET', '/metrics')).text, 'hearth_database_server')).toBe(1)
    expect((await all()).map((answer) => answer.status)).toEqual(usual)
  })
})

test('while the database is unavailable every path answers 503, before its route, the token or the body is looked at', async () => {
  await proxy.set('refuse')
  expect((await call(ann, 'GET', '/users/@me')).status).toBe(503)
  await expect.poll(isUnavailable).toBe(true)
  expect((await call(null, 'GET', '/nowhere')).status).toBe(503)
  expect((await call(null, 'GET', '/users/@me')).status).toBe(503)
  expect((await call(ann, 'PATCH', '/users/@me', { bio: 5 })).status).toBe(503)
})

test('a slow way to the database fails no request', async () => {
  await all()
  await proxy.set('slow')
  expect((await all()).map((answer) => answer.status)).toEqual(usual)
  expect(isUnavailable()).toBe(false)
})

/** The advisory lock that a statement waits for until its connection went silent. */
const silence = 20_713

async function countWaiting(): Promise<number> {
  const { rows } = await sql`select from pg_locks
    where locktype = 'advisory' and objid = ${silence} and not granted`.execute(db)
  return rows.length
}

test('a connection that went silent is cut off when PostgreSQL has nothing to do for it, and the others serve', async () => {
  const blocking = await db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(${silence})`.execute(blocking)
  const connections = proxy.connections()
  const lost = sql`select set_config('lock_timeout', '60s', true), pg_advisory_xact_lock(${silence})`
    .execute(proxied)
    .catch((reason: unknown) => reason)
  await expect.poll(countWaiting).toBe(1)
  proxy.deafen(connections)
  const started = performance.now()
  await blocking.commit().execute()
  const error = await lost
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(performance.now() - started).toBeLessThan(longestMs)
  expect(isUnavailable()).toBe(false)
  expect((await all()).map((answer) => answer.status)).toEqual(usual)
})

test('a statement that PostgreSQL works on is not cut off, and asking about it leaves no connection open', async () => {
  const countMonitors = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and application_name = 'hearth monitor'`.execute(db)
    return rows.length
  }
  const slow = sql`select pg_sleep(2.2), 1 as one`.execute(proxied)
  expect((await slow).rows).toMatchObject([{ one: 1 }])
  expect(isUnavailable()).toBe(false)
  await expect.poll(countMonitors).toBe(0)
})

test('detects an outage by broken connections, without a pending statement', async () => {
  await all()
  expect(poolStats(proxied).total).toBeGreaterThan(0)
  await proxy.set('refuse')
  await expect.poll(isUnavailable).toBe(true)
})

test('closes idle connections once the database is unavailable', async () => {
  await all()
  expect(poolStats(proxied).idle).toBeGreaterThan(1)
  await proxy.set('black hole')
  await requests['own user']!()
  await expect.poll(() => poolStats(proxied).total).toBe(0)
})

test('a statement that PostgreSQL breaks off because it takes too long is not taken for a wrong one', async () => {
  const tooLong = db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 20`.execute(trx)
    await sql`select pg_sleep(60)`.execute(trx)
  })
  const error = await tooLong.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: '57014' })
  expect(isDatabaseUnavailable(error)).toBe(true)
})

test('answers 503 to a request that waits for a locked row', async () => {
  await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${ann.id} for update`.execute(trx)
    const answer = await timed(() => call(ann, 'PATCH', '/users/@me', { bio: 'later' }))
    expect([answer.status, answer.body]).toEqual([503, unavailable])
    expect(answer.ms).toBeLessThan(longestMs)
  })
  expect((await call(ann, 'PATCH', '/users/@me', { bio: 'later' })).status).toBe(200)
})

describe('with the limit of connections reached', () => {
  const role = `limited_${process.pid}`
  const address = new URL(databaseUrl.replace(/\/\/[^@]*@/, `//${role}:${role}@`))
  const few = openDatabase(address.href)
  const select = () => sql<{ one: number }>`select 1 as one, pg_sleep(0.02)`.execute(few)

  beforeAll(async () => {
    await sql.raw(`create role ${role} login password '${role}' connection limit 3`).execute(db)
  })
  afterAll(async () => {
    await few.destroy()
    await sql.raw(`drop role ${role}`).execute(db)
  })

  test('the connections that are there serve all, as long as there is one', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, select))
    expect(answers.map(({ rows }) => rows[0]!.one)).toEqual(Array(40).fill(1))
    expect(availabilityCheck(few)()).toBe(false)
  })

  test('without any the database counts as unavailable for the request, which is no bug', async () => {
    await sql.raw(`alter role ${role} connection limit 0`).execute(db)
    await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = ${role}`.execute(
      db,
    )
    await expect.poll(() => poolStats(few).total).toBe(0)
    const error = await select().catch((reason: unknown) => reason)
    expect(isDatabaseUnavailable(error)).toBe(true)
    await sql.raw(`alter role ${role} connection limit 3`).execute(db)
    expect((await select()).rows[0]!.one).toBe(1)
  })
})

test('a full disk fails writes with 503 and rolls them back, while reads succeed', async () => {
  await sql`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$`.execute(db)
  // The log gets the event of each message, and has triggers also where those of messages are distributed.
  await sql`create trigger full_disk before insert on events execute function refuse()`.execute(db)
  try {
    const sent = await Promise.all([requests.send!(), requests.send!(), requests.history!()])
    expect(sent.map((answer) => answer.status)).toEqual([503, 503, 200])
    expect(sent[0]!.headers['retry-after']).toBe('1')
    expect(sent[2]!.body.data).toEqual((await requests.history!()).body.data)
  } finally {
    await sql`drop trigger full_disk on events`.execute(db)
  }
  expect((await requests.send!()).status).toBe(200)
})

test('the log says why requests are answered with 503, once for many', async () => {
  const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' } })
  let output = ''
  server.child.stdout!.on('data', (chunk) => (output += chunk))
  const edit = () => {
    const headers = { authorization: ann.token, 'content-type': 'application/json' }
    return fetch(`${server.origin}/users/@me`, { method: 'PATCH', headers, body: '{"bio": "later"}' })
  }
  try {
    await db.transaction().execute(async (trx) => {
      await sql`select from users where id = ${ann.id} for update`.execute(trx)
      expect((await Promise.all([edit(), edit()])).map((answer) => answer.status)).toEqual([503, 503])
    })
  } finally {
    await server.end('SIGTERM')
  }
  const lines = output.split('\n').filter((line) => line.includes('"unavailable"'))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 40,
    err: { message: expect.stringMatching(/lock timeout/) },
  })
})

test('a read-only database fails writes with 503, while reads succeed', async () => {
  const address = new URL(databaseUrl)
  address.searchParams.set('options', '-c default_transaction_read_only=on')
  const readOnly = openDatabase(address.href)
  onTestFinished(() => readOnly.destroy())
  const { call: reader } = await otherApp({}, { db: readOnly })
  for (const [path, body] of [
    [`/rooms/${den.room_id}/messages`, { content: 'hello' }],
    ['/houses', { name: 'Den' }],
  ] as const) {
    const { status, body: answer, headers } = await reader(ann, 'POST', path, body)
    expect([status, answer, headers['retry-after']]).toEqual([503, unavailable, '1'])
  }
  expect((await reader(ann, 'GET', `/rooms/${den.room_id}/messages`)).status).toBe(200)
  expect((await reader(ann, 'GET', '/users/@me')).status).toBe(200)
})
