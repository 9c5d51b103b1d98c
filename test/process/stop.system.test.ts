import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { Client } from '../support/gateway.ts'
import { beginToStart, type Server, startServer, workersOf } from '../support/server.ts'
import { untilWaiting } from '../support/waiting.ts'
import { call, databaseUrl, db, house, type Person, user } from '../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'hearth-stop-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const ann = await user()
const den = await house({ owner: ann })

type Outcome = { status: number; connection: string | undefined; isWhole: boolean } | { error: string }

/** One request over a connection that may be kept. `refused`: there was no connection, so nothing was accepted. */
function send(origin: string, agent: Agent, caller: Person, body: unknown): Promise<Outcome> {
  const payload = JSON.stringify(body)
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const request = httpRequest(`${origin}/rooms/${den.room_id}/messages`, {
    method: 'POST',
    agent,
    headers: {
      authorization: caller.token,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    },
  })
  request.on('error', (error: NodeJS.ErrnoException) => resolve({ error: error.code ?? error.message }))
  request.on('response', (answer) => {
    let text = ''
    answer.on('data', (chunk) => (text += chunk))
    answer.on('error', (error) => resolve({ error: `answer: ${error.message}` }))
    answer.on('end', () => {
      const isWhole = text.endsWith('}') && answer.complete
      resolve({ status: answer.statusCode!, connection: answer.headers.connection, isWhole })
    })
  })
  request.end(payload)
  return promise
}

async function stopUnderLoad(environment: Record<string, string>) {
  const server: Server = await startServer(folder, {
    environment: { DATABASE_URL: databaseUrl, ...environment },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const client = new Client(server.origin)
  client.send({ op: 2, d: { token: ann.token } })
  await client.next('INIT_STATE')
  const outcomes: Outcome[] = []
  const acknowledged: string[] = []
  let isOver = false
  const workers = Array.from({ length: 64 }, async (_none, worker) => {
    // Some connections are always in use, others idle when the stop begins.
    const restMs = worker % 4 === 0 ? 20 + worker : 0
    for (let n = 0; !isOver; n += 1) {
      const outcome = await send(server.origin, agent, ann, { content: `${worker}-${n}` })
      outcomes.push(outcome)
      if ('status' in outcome && outcome.status === 200) acknowledged.push(`${worker}-${n}`)
      if ('error' in outcome) return
      if (restMs > 0) await pause(restMs)
    }
  })
  while (outcomes.length < 500) await pause(10)
  const before = outcomes.length
  // One of several processes is late: its connections must not be lost.
  const [late] = workersOf(server)
  if (late !== undefined) process.kill(late, 'SIGSTOP')
  const ended = server.end('SIGTERM')
  await pause(200)
  if (late !== undefined) process.kill(late, 'SIGCONT')
  const code = await ended
  isOver = true
  await Promise.all(workers)
  agent.destroy()
  return { code, outcomes, before, acknowledged, client }
}

test.each([
  ['one process', {}],
  ['several processes', { WORKERS: '2' }],
])(
  'a stop of %s under load fails no request that was accepted, closes sockets with going_away and exits 0',
  async (_what, environment) => {
    const { code, outcomes, before, acknowledged, client } = await stopUnderLoad(environment)
    expect(code).toBe(0)
    expect(client.closed).toEqual({ code: 1001, reason: 'going_away' })
    expect(outcomes.length).toBeGreaterThan(before)
    const errors = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []))
    expect(errors.filter((error) => error !== 'ECONNREFUSED')).toEqual([])
    const answers = outcomes.filter((outcome) => 'status' in outcome)
    // The stop itself answers nothing with 503; a database on a stalled machine does.
    expect(answers.filter((answer) => ![200, 503].includes(answer.status) || !answer.isWhole)).toEqual([])
    expect(answers.some((answer) => answer.connection === 'close')).toBe(true)
    const { body } = await call(ann, 'GET', `/rooms/${den.room_id}/messages?limit=100`)
    const newest = body.data.map((message: { content: string }) => message.content)
    expect(acknowledged.slice(-30).filter((content) => !newest.includes(content))).toEqual([])
  },
)

test.each([
  ['one process', '1'],
  ['several processes', '2'],
])(
  'a stop of %s closes the sockets first, and answers new connections for a second more',
  async (_what, WORKERS) => {
    const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl, WORKERS } })
    const client = new Client(server.origin)
    client.send({ op: 2, d: { token: ann.token } })
    await client.next('INIT_STATE')
    const started = performance.now()
    const ended = server.end('SIGTERM')
    let answers = 0
    const ask = () => fetch(`${server.origin}/health`, { headers: { connection: 'close' } })
    const refused = await (async () => {
      for (;;) {
        const answer = await ask().catch((error: Error) => error.cause as NodeJS.ErrnoException)
        if (!(answer instanceof Response)) return answer
        if (answer.ok && client.closed) answers += 1
        await answer.text()
      }
    })()
    // Reset, when it connected at the very moment when the last process stopped listening.
    expect(refused.code).toMatch(/^(ECONNREFUSED|ECONNRESET)$/)
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000)
    expect(client.closed).toEqual({ code: 1001, reason: 'going_away' })
    expect(answers).toBeGreaterThan(0)
    expect(await ended).toBe(0)
  },
)

test.each([
  ['one process', '1'],
  ['several processes', '2'],
])('a SIGTERM while %s start ends the server with 0, and without a word', async (_what, WORKERS) => {
  const { ended } = await db.transaction().execute(async (trx) => {
    await sql`lock table kysely_migration in access exclusive mode`.execute(trx)
    const starting = beginToStart(folder, { DATABASE_URL: databaseUrl, WORKERS })
    await untilWaiting(1)
    starting.child.kill('SIGTERM')
    await pause(300)
    return starting
  })
  expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('SIGTERM to npm start stops the server that it runs', async () => {
  const { PATH = '' } = process.env
  const environment = { DATA_DIR: folder, DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'silent' }
  const npm = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH, HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  while (!output.includes('answers at')) output += (await once(npm.stdout, 'data'))[0]
  const exited = once(npm, 'exit')
  npm.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  await expect(fetch(/answers at ([^\s"]+)/.exec(output)![1]!)).rejects.toThrow()
})

test.each(['SIGINT', 'SIGHUP'] as const)(
  '%s, from the terminal, stops the server in order',
  async (signal) => {
    const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl } })
    const client = new Client(server.origin)
    client.send({ op: 2, d: { token: ann.token } })
    await client.next('INIT_STATE')
    expect(await server.end(signal)).toBe(0)
    expect(await client.end()).toEqual({ code: 1001, reason: 'going_away' })
  },
)

test('a stop does not wait for a mail server that does not answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const server = await startServer(folder, {
    environment: { DATABASE_URL: databaseUrl, SMTP_URL: `smtp://127.0.0.1:${port}` },
  })
  const asked = once(silent, 'connection')
  const account = { email: 'kim@example.org', username: 'kim', password: 'correct horse' }
  const answer = await fetch(`${server.origin}/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(account),
  })
  expect(answer.status).toBe(200)
  await asked
  expect(await server.end('SIGTERM')).toBe(0)
  silent.close()
})

test('a stop does not wait for files that cannot be erased', async () => {
  const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl } })
  await db.transaction().execute(async (trx) => {
    await sql`lock table discarded_files in access exclusive mode`.execute(trx)
    const { status } = await fetch(`${server.origin}/users/@me`, {
      method: 'PATCH',
      headers: { authorization: ann.token, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ bio: 'after this, files may be erased' }),
    })
    expect(status).toBe(200)
    await untilWaiting(1)
    expect(await server.end('SIGTERM')).toBe(0)
  })
})

test('a second SIGTERM, as of an impatient Ctrl-C, does not cut the stop short', async () => {
  const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl } })
  const agent = new Agent()
  const sending = await db.transaction().execute(async (trx) => {
    await sql`select from rooms where id = ${den.room_id} for update`.execute(trx)
    const sending = send(server.origin, agent, ann, { content: 'in flight' })
    await untilWaiting(1)
    server.child.kill('SIGTERM')
    server.child.kill('SIGINT')
    // Refused connections show that the stop has begun.
    await vi.waitFor(() => expect(fetch(`${server.origin}/health`)).rejects.toThrow(), 60_000)
    return { outcome: sending }
  })
  expect(await sending.outcome).toMatchObject({ isWhole: true })
  expect(await server.end('SIGTERM')).toBe(0)
})
