import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { DatabaseUnavailable, isDatabaseUnavailable } from '../../../src/database/availability/unavailable.ts'
import { availabilityCheck, type Db, openDatabase } from '../../../src/database/client.ts'
import { claimNodeNumber } from '../../../src/database/node-number.ts'
import { hearthIn } from '../../support/cli.ts'
import { samplesOf, sumOf } from '../../support/metrics.ts'
import { type ReplicatedServer, startReplicatedPostgres } from '../../support/replicated-postgres.ts'
import { failToStart, startServer } from '../../support/server.ts'

const folder = await mkdtemp(join(tmpdir(), 'hearth-failover-'))
const postgres = await startReplicatedPostgres(folder, ['fsync=off', 'autovacuum=off'])
const [one, two] = postgres.servers
const environment = { DATABASE_URL: postgres.url, DATA_DIR: join(folder, 'data') }
/** The address, with more time to connect than servers get. */
const patientUrl = `${postgres.url}&connect_timeout=10`
const withTarget = (target: string) => patientUrl.replace('read-write', target)
const timeout = { timeout: 60_000, interval: 20 }

afterAll(async () => {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

function open(url: string): Db {
  const db = openDatabase(url)
  onTestFinished(() => db.destroy())
  return db
}

/** Settles when a server has been connected to several times by others. */
async function askedAgain(server: ReplicatedServer): Promise<void> {
  let looks = 0
  const countOthers = async () => {
    looks += 1
    const [row] = await server.query<{ sessions: number }>(
      `select sessions::int from pg_stat_database where datname = 'hearth'`,
    )
    return row!.sessions - looks
  }
  const before = await countOthers()
  await vi.waitUntil(async () => (await countOthers()) > before + 4, timeout)
}

async function portOf(db: Db): Promise<number> {
  const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(db)
  return Number(rows[0]!.port)
}

describe('with a primary and its standby', () => {
  test.each([
    ['read-write', one],
    ['primary', one],
    ['standby', two],
    ['read-only', two],
    ['prefer-standby', two],
    ['any', one],
  ])('connects to the server that is %s', async (target, server) => {
    expect(await portOf(open(withTarget(target)))).toBe(server.port)
  })

  test('passes over a server that does not listen, and one that is a standby', async () => {
    const [, port] = /127\.0\.0\.1:([0-9]+)/.exec(one.url)!
    const order = [two.port, 1, port].map((each) => `127.0.0.1:${each}`).join()
    const other = patientUrl.replace(/127\.0\.0\.1:.*\//, `${order}/`)
    expect(await portOf(open(other))).toBe(one.port)
  })

  test('a server does not start on a standby, and says so in a sentence', async () => {
    const databaseUrl = withTarget('standby')
    const { code, stderr } = await failToStart(folder, { DATABASE_URL: databaseUrl })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^DATABASE_URL cannot be used: [^\n]+(read-only transaction|during recovery)\.\n$/)
  })

  test('says of each server why it cannot be used', async () => {
    const other = patientUrl.replace(`127.0.0.1:${one.port}`, '127.0.0.1:1')
    const error = await portOf(open(other)).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect((error as Error).message).toMatch(
      `no server can be used: 127.0.0.1:1 failed (connect ECONNREFUSED 127.0.0.1:1), 127.0.0.1:${two.port} is a standby`,
    )
  })

  test('a password that all servers refuse is no unavailable database', async () => {
    const error = await portOf(open(patientUrl.replace(/:[0-9a-f]+@/, ':wrong@'))).catch((reason) => reason)
    expect(error).toMatchObject({ code: '28P01' })
  })

  test('a server that may no longer be written fails writes as unavailable, and is used again once it may', async () => {
    const db = open(postgres.url)
    await sql`create table notes (note text)`.execute(db)
    const write = () => sql`insert into notes values ('a note')`.execute(db)
    await write()
    await one.query('alter system set default_transaction_read_only = on')
    await one.query('select pg_reload_conf()')
    await vi.waitUntil(
      () =>
        write().then(
          () => false,
          (error) => isDatabaseUnavailable(error) && availabilityCheck(db)(),
        ),
      timeout,
    )
    await one.query('alter system reset default_transaction_read_only')
    await one.query('select pg_reload_conf()')
    await vi.waitUntil(() => !availabilityCheck(db)(), timeout)
    await vi.waitFor(write, timeout)
  })
})

test('a failover loses no acknowledged message, and an old primary that comes back is never written', async () => {
  const server = await startServer(folder, { environment })
  let isOver = false
  onTestFinished(async () => {
    isOver = true
    await server.end('SIGKILL')
  })
  const ask = async (method: string, path: string, body?: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) }
    const answer = await fetch(server.origin + path, { method, headers, body: body && JSON.stringify(body) })
    return { status: answer.status, text: await answer.text() }
  }
  const account = { email: 'ann@example.org', username: 'ann', password: 'correct horse' }
  const { token } = JSON.parse((await ask('POST', '/auth/register', account)).text).data
  const house = JSON.parse((await ask('POST', '/houses', { name: 'Den' }, token)).text).data
  const room = house.rooms[0].id
  const acknowledged: string[] = []
  const odd = new Set<number>()
  let sent = 0
  /** Sends one message. Returns whether it was acknowledged. */
  const send = async () => {
    sent += 1
    const nonce = `n${sent}`
    const { status } = await ask('POST', `/rooms/${room}/messages`, { content: nonce, nonce }, token)
    if (status === 200) acknowledged.push(nonce)
    else if (status !== 503) odd.add(status)
    return status === 200
  }
  const sending = Array.from({ length: 4 }, async () => {
    while (!isOver) if (!(await send().catch(() => false))) await pause(20)
  })
  const isBack = async () => {
    const before = acknowledged.length
    await vi.waitUntil(() => acknowledged.length > before + 10, timeout)
  }
  const logIn = () =>
    new Promise<{ closed: Promise<number> }>((resolve, reject) => {
      const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/socket`)
      onTestFinished(() => socket.terminate())
      const closed = new Promise<number>((settle) => socket.once('close', settle))
      socket.once('error', reject).once('open', () => socket.send(JSON.stringify({ op: 2, d: { token } })))
      socket.on('message', (text) => String(text).includes('INIT_STATE') && resolve({ closed }))
    })
  const node = await claimNodeNumber(postgres.url, { assign: () => {} })
  onTestFinished(() => node.release())
  const { number } = node
  const session = await logIn()
  await isBack()
  /** The moves that /metrics counts, and the server it shows. */
  const shown = async () => {
    const { text } = await ask('GET', '/metrics')
    const used = samplesOf(text, 'hearth_database_server').filter(({ value }) => value === 1)
    return [sumOf(text, 'hearth_database_moves_total'), ...used.map(({ labels }) => labels.server)]
  }
  await vi.waitFor(async () => expect(await shown()).toEqual([0, `127.0.0.1:${one.port}`]), timeout)

  await one.kill()
  await vi.waitUntil(async () => !(await send()), timeout)
  await two.promote()
  await isBack()
  await vi.waitFor(async () => expect(await shown()).toEqual([1, `127.0.0.1:${two.port}`]), timeout)
  expect(await session.closed).toBe(1011)
  await logIn()
  await vi.waitUntil(() => node.number === number, timeout)

  // It would commit without a standby, and is all there is while the new primary starts again.
  await one.stopWaitingForStandby()
  await one.start()
  const [old] = await one.query<{ count: string }>('select count(*) from messages')
  await two.kill()
  await askedAgain(one)
  expect(await ask('GET', '/users/@me', undefined, token)).toMatchObject({ status: 503 })
  expect(await hearthIn(environment, 'list-users')).toMatchObject({ code: 1 })
  await two.start()
  await isBack()
  // For who starts now, both are primaries.
  expect(await portOf(open(`${postgres.url}&connect_timeout=2`))).toBe(two.port)
  isOver = true
  await Promise.all(sending)
  expect(await one.query('select count(*) from messages')).toEqual([old])
  expect([...odd]).toEqual([])
  expect(server.child.exitCode).toBe(null)
  const rows = await two.query<{ nonce: string; count: number }>(
    'select nonce, count(*)::int as count from messages group by nonce',
  )
  const counts = new Map(rows.map((row) => [row.nonce, row.count]))
  expect(acknowledged.filter((nonce) => counts.get(nonce) !== 1)).toEqual([])
})

test('a primary that was frozen, and goes on, is left for the one that was promoted meanwhile', async () => {
  await one.follow(two)
  const db = open(postgres.url)
  expect(await portOf(db)).toBe(two.port)
  await two.signal('SIGSTOP')
  await one.promote()
  await two.signal('SIGCONT')
  await vi.waitUntil(async () => (await portOf(db).catch(() => two.port)) === one.port, timeout)
})
