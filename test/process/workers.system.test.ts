import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { forkWorkers, WorkersError } from '../../src/process/workers.ts'
import { logIn } from '../support/gateway.ts'
import { samplesOf, sumOf } from '../support/metrics.ts'
import { freePort, startServer, statusOf, workersOf } from '../support/server.ts'
import { databaseUrl, folder, friends, house, type Person, user } from '../support/world.ts'

// A fixed port: with 0 the processes would choose another one once all of them have ended.
const PORT = String(await freePort())
const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl, WORKERS: '3', PORT } })
afterAll(() => server.end('SIGTERM'))

async function ask(caller: Person, method: string, path: string, body?: unknown) {
  const headers = { authorization: caller.token, 'content-type': 'application/json' }
  const answer = await fetch(server.origin + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { data } = (await answer.json()) as { data: { id: string; code: string } }
  return { status: answer.status, data }
}

/** Enough connections that some are at another process than others. */
async function logInOften(person: Person, times = 6) {
  return Promise.all(Array.from({ length: times }, () => logIn(server.origin, person)))
}

test('messages reach the sockets of every process, each once, in the order of their ids', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const clients = await logInOften(ann)
  const sent = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      ask(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: `${n}` }),
    ),
  )
  const ids = sent.map(({ data }) => data.id).sort()
  for (const { frames } of clients) {
    const received = () => frames.filter((frame) => frame.e === 'MESSAGE_CREATE').map((frame) => frame.d.id)
    await expect.poll(() => received()).toEqual(ids)
  }
})

test('a join is sent to the sockets of every process', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann })
  const clients = await logInOften(bob)
  const invite = await ask(ann, 'POST', `/houses/${den.id}/invites`, {})
  expect((await ask(bob, 'POST', `/invites/${invite.data.code}`)).status).toBe(200)
  for (const { frames } of clients) {
    await expect.poll(() => frames.filter((frame) => frame.e === 'HOUSE_JOIN')).toHaveLength(1)
  }
})

test('a revoked token closes its sockets at every process', async () => {
  const ann = await user()
  const clients = await logInOften(ann)
  await fetch(`${server.origin}/auth/logout`, { method: 'POST', headers: { authorization: ann.token } })
  for (const client of clients) {
    await expect.poll(() => client.closed).toEqual({ code: 4003, reason: 'invalid_token' })
  }
})

test('a user is online while connected to any process', async () => {
  const [ann, bob] = [await user(), await user()]
  await friends(ann, bob)
  const [watcher] = await logInOften(ann, 1)
  const presences = () =>
    watcher!.frames.filter((frame) => frame.e === 'PRESENCE_UPDATE').map((frame) => frame.d.presence)
  const clients = await logInOften(bob)
  await expect.poll(() => presences()).toEqual(['online'])
  for (const client of clients) client.socket.close()
  await vi.waitFor(() => expect(presences()).toEqual(['online', 'offline']), 60_000)
})

test('metrics add up what every process counted', async () => {
  const read = async () => (await fetch(`${server.origin}/metrics`)).text()
  const served = (text: string) => sumOf(text, 'hearth_requests_total', { route: '/health', status: '200' })
  const before = served(await read())
  for (let n = 0; n < 12; n += 1) {
    // A connection of its own each time: they are shared out among the processes.
    await fetch(`${server.origin}/health`, { headers: { connection: 'close' } })
  }
  const after = await read()
  expect(served(after)).toBe(before + 12)
  expect(sumOf(after, 'process_resident_memory_bytes')).toBeGreaterThan(3 * 2 ** 24)
  // The messages of the tests above: over PostgreSQL the processes wake each other, and publish nothing.
  expect(sumOf(after, 'hearth_publish_seconds_count')).toBeGreaterThan(0)
  expect(sumOf(after, 'hearth_log_published_total')).toBe(0)
  // What is of each process is shown for each.
  const nodes = samplesOf(after, 'hearth_processes').map(({ labels, value }) => [labels.node, value])
  expect(new Set(nodes.map(([node]) => node)).size).toBe(3)
  expect(nodes.map(([, value]) => value)).toEqual([1, 1, 1])
  for (const name of ['hearth_log_lag_seconds', 'hearth_log_position', 'hearth_log_pending']) {
    const shown = samplesOf(after, name).map(({ labels }) => labels.node)
    expect(shown.sort(), name).toEqual(nodes.map(([node]) => node).sort())
  }
})

test.runIf(process.platform === 'linux')(
  'while one of the processes hangs, metrics are those of the others',
  async () => {
    const [hanging] = workersOf(server)
    process.kill(hanging!, 'SIGSTOP')
    try {
      const text = await vi.waitFor(async () => {
        const answer = await fetch(`${server.origin}/metrics`, { signal: AbortSignal.timeout(5_000) })
        return answer.text()
      }, 60_000)
      expect(sumOf(text, 'hearth_processes')).toBe(2)
    } finally {
      process.kill(hanging!, 'SIGCONT')
    }
  },
)

test.runIf(process.platform === 'linux')(
  'metrics that are asked for at the moment a process dies end no other one',
  async () => {
    const before = workersOf(server)
    const agent = new Agent({ keepAlive: true })
    const askAll = (path: string) =>
      Promise.all(Array.from({ length: 9 }, () => statusOf(server, path, agent)))
    // Connections to every process, each of which has loaded what it needs for an answer.
    await askAll('/metrics')
    // Its end is to be read after what the others ask.
    process.kill(before[0]!, 'SIGSTOP')
    server.child.kill('SIGSTOP')
    const asked = askAll('/metrics')
    try {
      await pause(300)
      process.kill(before[0]!, 'SIGKILL')
      await pause(300)
    } finally {
      server.child.kill('SIGCONT')
    }
    expect(await asked).toContain(200)
    await vi.waitFor(async () => {
      const now = workersOf(server)
      expect(now).toHaveLength(3)
      expect(now).not.toContain(before[0])
    }, 60_000)
    expect(server.child.exitCode).toBeNull()
    agent.destroy()
  },
)

/** The status of an answer over a connection of its own; undefined when there is none. */
function knock(): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(`${server.origin}/users/nobody`, { agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    request.on('error', () => resolve(undefined))
    // A request that reaches a process as it ends is never answered.
    request.setTimeout(2_000, () => request.destroy())
  })
}

test.runIf(process.platform === 'linux')(
  'a process that dies is replaced, the port goes on answering, and the new one hears what happens',
  async () => {
    const ann = await user()
    const den = await house({ owner: ann })
    const before = workersOf(server)
    expect(before).toHaveLength(3)
    process.kill(before[0]!, 'SIGKILL')
    for (let round = 0; round < 20; round += 1) expect((await knock()) ?? (await knock())).toBe(400)
    const replaced = async () => {
      const now = workersOf(server)
      expect(now).toHaveLength(3)
      for (const gone of before) expect(now.includes(gone)).toBe(gone !== before[0])
    }
    await vi.waitFor(replaced, 60_000)

    const now = workersOf(server)
    for (const id of now) process.kill(id, 'SIGKILL')
    await vi.waitFor(async () => expect(await knock()).toBe(400), 40_000)
    await vi.waitFor(async () => expect(workersOf(server)).toHaveLength(3), 60_000)
    const clients = await vi.waitFor(() => logInOften(ann), 60_000)
    const sent = await ask(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'all there' })
    for (const client of clients) expect((await client.next('MESSAGE_CREATE')).d.id).toBe(sent.data.id)
  },
  120_000,
)

test('processes that cannot be started count as ended at once', async () => {
  const { execPath } = process
  process.execPath = '/nowhere/node'
  try {
    const workers = forkWorkers(2, {})
    await expect(workers.address).rejects.toThrow(WorkersError)
    await workers.stop()
  } finally {
    process.execPath = execPath
  }
})
