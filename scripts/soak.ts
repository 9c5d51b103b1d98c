// Many sockets against one server: npm run soak -- [sockets in one house] [messages] [idle sockets]
// Brings up its own PostgreSQL and server. Every socket must get every message once and in order; then the sockets
// close and the memory is looked at; then idle sockets are held. The clients run in processes of their own.
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import WebSocket from 'ws'
import { buildApp } from '../src/app.ts'
import { hashToken, newToken } from '../src/auth/tokens.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/client.ts'
import { startPostgres } from '../src/db/embedded.ts'
import { migrateToLatest } from '../src/db/migrate.ts'
import { createBus } from '../src/events/bus.ts'
import { newHousePermissions } from '../src/houses/permissions.ts'
import { newId } from '../src/ids.ts'
import { openFolderStore } from '../src/storage/store.ts'
import { percentile } from './percentile.ts'

const clientProcesses = 2
const sendersAtOnce = 16
/** More in use than before, once all sockets are closed, is a leak. */
const maxLeftMb = 16

type Order = { url: string; tokens: string[]; messages: number }
type Report = { ready?: number; done?: { received: number; wrong: number; p50: number; p99: number } }

/** Opens its share of the sockets, says when all are logged in, and reports when each has all messages. */
async function runClients({ url, tokens, messages }: Order): Promise<void> {
  const sockets: WebSocket[] = []
  const latencies: number[] = []
  let [ready, complete, received, wrong] = [0, 0, 0, 0]
  const report = (what: Report) => process.send!(what)
  const finish = () => {
    const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
    report({ done: { received, wrong, p50, p99 } })
  }
  async function open(token: string): Promise<void> {
    const socket = new WebSocket(url)
    let [last, count, seq] = [0n, 0, 0]
    const loggedIn = new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('close', (code) => reject(new Error(`closed ${code}`)))
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data))
        if (frame.op !== 0) return
        if (frame.seq !== ++seq) wrong += 1
        if (frame.e === (messages > 0 ? 'HOUSE_JOIN' : 'INIT_STATE')) resolve()
        if (frame.e !== 'MESSAGE_CREATE') return
        const id = BigInt(frame.d.id)
        if (id <= last) wrong += 1
        last = id
        received += 1
        if (received % 50 === 0) latencies.push(Date.now() - frame.d.timestamp)
        if (++count === messages && ++complete === tokens.length) finish()
      })
    })
    socket.on('open', () => socket.send(JSON.stringify({ op: 2, d: { token } })))
    sockets.push(socket)
    await loggedIn
    ready += 1
  }
  for (let from = 0; from < tokens.length; from += 50) {
    await Promise.all(tokens.slice(from, from + 50).map(open))
  }
  report({ ready })
  process.on('message', () => {
    for (const socket of sockets) socket.close(1000)
    process.disconnect()
  })
}

async function main(): Promise<void> {
  const [sockets, messages, idle] = [1_000, 1_000, 10_000].map((usual, index) => {
    return Number(process.argv[2 + index] ?? usual)
  }) as [number, number, number]
  const folder = await mkdtemp(join(tmpdir(), 'hearth-soak-'))
  const postgres = await startPostgres(join(folder, 'postgres'))
  const db = openDatabase(postgres.url)
  await migrateToLatest(db)
  const config = readConfig({
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
  })
  const app = await buildApp({ config, db, store: openFolderStore(folder), bus: createBus() })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })

  /** Accounts with tokens, members of the house if there is one. */
  async function people(count: number, houseId: string | null): Promise<string[]> {
    const rows = Array.from({ length: count }, () => ({
      id: newId(),
      session_id: newId(),
      token: newToken(),
    }))
    const ids = rows.map((row) => row.id)
    await sql`insert into users (id, username, name)
      select id, 'soak' || id, 'Soak' from unnest(${ids}::bigint[]) as id`.execute(db)
    await sql`insert into sessions (id, user_id, token_hash)
      select * from unnest(${rows.map((row) => row.session_id)}::bigint[], ${ids}::bigint[],
        ${rows.map((row) => hashToken(row.token))}::bytea[])`.execute(db)
    if (houseId !== null) {
      await sql`insert into members (house_id, user_id)
        select ${houseId}, id from unnest(${ids}::bigint[]) as id`.execute(db)
    }
    return rows.map((row) => row.token)
  }

  async function makeHouse(): Promise<{ id: string; room_id: string; token: string }> {
    const [token] = await people(1, null)
    const { rows } = await sql<{ id: string }>`select id from users order by id desc limit 1`.execute(db)
    const [id, room_id] = [newId(), newId()]
    const house = { id, name: 'Soak', owner_id: rows[0]!.id, default_permissions: newHousePermissions }
    await db.insertInto('houses').values(house).execute()
    await db
      .insertInto('rooms')
      .values({ id: room_id, house_id: id, type: 0, name: 'r', position: 0 })
      .execute()
    await db.insertInto('members').values({ house_id: id, user_id: rows[0]!.id }).execute()
    return { id, room_id, token: token! }
  }

  /** What is in use, after everything that nobody needs was thrown away, and what the system counts. */
  function memory(): { heapMb: number; text: string } {
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const heapMb = heapUsed / 1024 / 1024
    return { heapMb, text: `${heapMb.toFixed(1)} MB in use (${Math.round(rss / 1024 / 1024)} MB resident)` }
  }

  /** Logs everybody in, does something, and closes again. */
  async function withSockets(
    tokens: string[],
    each: number,
    act: (reports: Promise<Report['done']>[]) => Promise<void>,
  ) {
    const url = `${origin.replace('http', 'ws')}/socket`
    const clients = Array.from({ length: clientProcesses }, (_none, index) => {
      const share = tokens.filter((_token, place) => place % clientProcesses === index)
      const child = fork(import.meta.filename, ['clients'])
      const order: Order = { url, tokens: share, messages: each }
      child.send(order)
      const hear = <Value>(read: (report: Report) => Value | undefined) =>
        new Promise<Value>((resolve) => {
          child.on('message', (report: Report) => {
            const value = read(report)
            if (value !== undefined) resolve(value)
          })
        })
      const gone = new Promise((resolve) => child.once('exit', resolve))
      return { child, gone, ready: hear((report) => report.ready), done: hear((report) => report.done) }
    })
    const [started, before] = [Date.now(), memory()]
    await Promise.all(clients.map((client) => client.ready))
    const open = memory()
    const eachKb = ((open.heapMb - before.heapMb) * 1024) / tokens.length
    const took = Date.now() - started
    console.log(
      `${tokens.length} sockets logged in after ${took} ms, ${open.text}, ${eachKb.toFixed(1)} KB each`,
    )
    await act(clients.map((client) => client.done))
    for (const { child } of clients) child.send('close')
    await Promise.all(clients.map((client) => client.gone))
    while (app.gateway.connectionCount > 0) await pause(50)
    await pause(1_000)
    const after = memory()
    console.log(`all closed, ${app.gateway.hub.sessions.size} sessions left, ${after.text}`)
    // The first round also fills the caches of everything that runs for the first time.
    if (globalThis.gc && after.heapMb - before.heapMb > maxLeftMb) process.exitCode = 1
  }

  async function send(room_id: string, token: string, count: number): Promise<void> {
    for (let left = count; left > 0; left -= sendersAtOnce) {
      const batch = Array.from({ length: Math.min(left, sendersAtOnce) }, (_none, index) =>
        fetch(`${origin}/rooms/${room_id}/messages`, {
          method: 'POST',
          headers: { authorization: token, 'content-type': 'application/json' },
          body: JSON.stringify({ content: `message ${left - index}` }),
        }),
      )
      for (const answer of await Promise.all(batch))
        if (answer.status !== 200) throw new Error(await answer.text())
    }
  }

  console.log(`before: ${memory().text}`)
  const den = await makeHouse()
  await withSockets(await people(sockets, den.id), messages, async (reports) => {
    const started = Date.now()
    await send(den.room_id, den.token, messages)
    const done = await Promise.all(reports)
    const seconds = (Date.now() - started) / 1000
    const received = done.reduce((sum, one) => sum + one!.received, 0)
    const wrong = done.reduce((sum, one) => sum + one!.wrong, 0)
    console.log(`${received} of ${sockets * messages} deliveries, ${wrong} out of order, in ${seconds} s`)
    console.log(`${Math.round(received / seconds)}/s; latency p50 ${done[0]!.p50} ms, p99 ${done[0]!.p99} ms`)
    if (received !== sockets * messages || wrong > 0) process.exitCode = 1
  })
  if (idle > 0) {
    await withSockets(await people(idle, null), 0, async () => {
      await pause(5_000)
      console.log(`${app.gateway.connectionCount} of ${idle} idle sockets held, ${memory().text}`)
      if (app.gateway.connectionCount !== idle) process.exitCode = 1
    })
  }
  await app.close()
  await db.destroy()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

if (process.argv[2] === 'clients') process.once('message', (order: Order) => void runClients(order))
else await main()
