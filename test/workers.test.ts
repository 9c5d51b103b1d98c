import { afterAll, expect, test, vi } from 'vitest'
import { logIn } from './support/gateway.ts'
import { startServer } from './support/server.ts'
import { databaseUrl, folder, friends, house, type Person, user } from './support/world.ts'

const server = await startServer(folder, { environment: { DATABASE_URL: databaseUrl, WORKERS: '3' } })
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
    await vi.waitFor(() => expect(received()).toEqual(ids))
  }
})

test('who joins a house hears of it on the sockets of every process', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann })
  const clients = await logInOften(bob)
  const invite = await ask(ann, 'POST', `/houses/${den.id}/invites`, {})
  expect((await ask(bob, 'POST', `/invites/${invite.data.code}`)).status).toBe(200)
  for (const { frames } of clients) {
    await vi.waitFor(() => expect(frames.filter((frame) => frame.e === 'HOUSE_JOIN')).toHaveLength(1))
  }
})

test('a revoked token closes its sockets at every process', async () => {
  const ann = await user()
  const clients = await logInOften(ann)
  await fetch(`${server.origin}/auth/logout`, { method: 'POST', headers: { authorization: ann.token } })
  for (const client of clients) {
    await vi.waitFor(() => expect(client.closed).toEqual({ code: 4003, reason: 'invalid_token' }))
  }
})

test('somebody is online while they are at any process, and offline once they are at none', async () => {
  const [ann, bob] = [await user(), await user()]
  await friends(ann, bob)
  const [watcher] = await logInOften(ann, 1)
  const presences = () =>
    watcher!.frames.filter((frame) => frame.e === 'PRESENCE_UPDATE').map((frame) => frame.d.presence)
  const clients = await logInOften(bob)
  await vi.waitFor(() => expect(presences()).toEqual(['online']))
  for (const client of clients) client.socket.close()
  await vi.waitFor(() => expect(presences()).toEqual(['online', 'offline']), 15_000)
})

test('metrics add up what every process counted', async () => {
  const read = async () => (await fetch(`${server.origin}/metrics`)).text()
  const figure = (text: string, name: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1) ?? 0)
  }
  const served = 'hearth_requests_total{method="GET",route="/health",status="200"}'
  const before = figure(await read(), served)
  for (let n = 0; n < 12; n += 1) {
    // A connection of its own each time: they are shared out among the processes.
    await fetch(`${server.origin}/health`, { headers: { connection: 'close' } })
  }
  const after = await read()
  expect(figure(after, served)).toBe(before + 12)
  expect(figure(after, 'hearth_processes')).toBe(3)
  expect(after).toContain('process_resident_memory_bytes')
})
