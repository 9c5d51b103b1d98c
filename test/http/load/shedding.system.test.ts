import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { buildApp } from '../../../src/app.ts'
import type { Config } from '../../../src/config.ts'
import type { LoadLimits } from '../../../src/http/load/shedding.ts'
import { portOf } from '../../support/gateway.ts'
import { sendMedia } from '../../support/media.ts'
import { filePart } from '../../support/multipart.ts'
import { bus, config, db, house, presences, store, unavailable, user } from '../../support/world.ts'

const ann = await user()

/** Limits that a test does not come near unless it lowers them. */
const calm: LoadLimits = { inFlight: 1_000, leastInFlight: 3, delayMs: 10_000, answerMs: 250 }

/** An app that listens, with these limits of load. */
async function listening(
  loadLimits: LoadLimits,
  changed: Partial<Config> = {},
): Promise<{ app: FastifyInstance; origin: string }> {
  const app = await buildApp({ config: { ...config, ...changed }, db, store, bus, presences, loadLimits })
  await app.listen({ host: '127.0.0.1', port: 0 })
  afterAll(() => app.close())
  return { app, origin: `http://127.0.0.1:${portOf(app)}` }
}

/** A connection with a request on it whose body never comes. */
async function hang(app: FastifyInstance): Promise<Socket> {
  const before = app.load.inFlight
  const socket = connect(portOf(app), '127.0.0.1')
  const head = 'POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json'
  socket.write(`${head}\r\ncontent-length: 5\r\n\r\n{`)
  await expect.poll(() => app.load.inFlight).toBe(before + 1)
  return socket
}

test('past the limit of requests in flight the next one answers 503, whatever it asks for, until one is done', async () => {
  const { app, origin } = await listening({ ...calm, inFlight: 3 })
  const sockets = [await hang(app), await hang(app), await hang(app)]
  const answer = await fetch(`${origin}/users/@me`, { headers: { authorization: ann.token } })
  expect([answer.status, await answer.json()]).toEqual([503, unavailable])
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect((await fetch(`${origin}/nowhere`)).status).toBe(503)
  for (const path of ['/health', '/v1/health', '/ready', '/ready?from=proxy', '/metrics']) {
    expect((await fetch(`${origin}${path}`)).status).toBe(200)
  }
  // The three, and the one that asks.
  expect(await (await fetch(`${origin}/metrics`)).text()).toMatch(/^hearth_requests_in_flight 4$/m)
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`)
  const refused = await new Promise((resolve) =>
    socket.once('unexpected-response', (_request, reply) => resolve(reply.statusCode)),
  )
  expect(refused).toBe(503)
  sockets[0]!.destroy()
  await expect.poll(() => app.load.inFlight).toBe(2)
  expect((await fetch(`${origin}/users/@me`, { headers: { authorization: ann.token } })).status).toBe(200)
  expect(app.load.refused).toBe(2)
  for (const each of sockets) each.destroy()
})

test('one address has less than all of it where rates are limited', async () => {
  const { app, origin } = await listening({ ...calm, inFlight: 4 }, { rateLimit: true })
  const sockets = [await hang(app), await hang(app)]
  const started = performance.now()
  expect((await fetch(`${origin}/users/@me`)).status).toBe(503)
  // Who floods is made to wait.
  expect(performance.now() - started).toBeGreaterThan(900)
  const other = connect({ port: portOf(app), host: '127.0.0.1', localAddress: '127.0.0.2' })
  other.write('GET /users/@me HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  let text = ''
  for await (const chunk of other) text += chunk
  expect(text).toMatch(/^HTTP\/1.1 400 /)
  for (const each of sockets) each.destroy()
})

test('behind a proxy, which is one address for all, it has all of it', async () => {
  const { app, origin } = await listening({ ...calm, inFlight: 4 }, { rateLimit: true, trustProxy: 1 })
  const sockets = [await hang(app), await hang(app), await hang(app)]
  expect((await fetch(`${origin}/users/@me`)).status).toBe(400)
  for (const each of sockets) each.destroy()
})

test('a connection whose requests were refused may go on sending', async () => {
  const { app } = await listening({ ...calm, inFlight: 4 }, { rateLimit: true })
  const sockets = [await hang(app), await hang(app)]
  const socket = connect(portOf(app), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  for (const answers of [40, 80]) {
    socket.write('GET /users/@me HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(40))
    await expect.poll(() => text.match(/HTTP\/1.1 503/g)).toHaveLength(answers)
  }
  for (const each of [...sockets, socket]) each.destroy()
})

test('a connection that sends far ahead of its refusals is hung up on', async () => {
  const { app } = await listening({ ...calm, inFlight: 4 }, { rateLimit: true })
  const sockets = [await hang(app), await hang(app)]
  const socket = connect(portOf(app), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write('GET /users/@me HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(65))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(text).toBe('')
  for (const each of sockets) each.destroy()
})

test('what was in flight on a connection counts no more once it is closed, answered or not', async () => {
  const { app, origin } = await listening(calm)
  for (let round = 0; round < 5; round += 1) {
    const socket = connect(portOf(app), '127.0.0.1')
    socket.write('GET /users/@me HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(40))
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    await expect.poll(() => app.load.inFlight).toBe(0)
  }
  await fetch(`${origin}/users/@me`)
  await app.close()
  expect(app.load.inFlight).toBe(0)
})

test('what was in flight on a connection counts no more once it is a websocket, nor less once that is closed', async () => {
  const { app } = await listening(calm)
  const hung = await hang(app)
  const socket = connect(portOf(app), '127.0.0.1')
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13'
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
  const ask = `GET /users/@me HTTP/1.1\r\nhost: x\r\nauthorization: ${ann.token}\r\n\r\n`
  socket.write(`${ask.repeat(5)}GET /socket HTTP/1.1\r\nhost: x\r\n${upgrade}\r\n${key}\r\n\r\n`)
  await expect.poll(() => [app.gateway.connectionCount, app.load.inFlight]).toEqual([1, 1])
  socket.destroy()
  await expect.poll(() => app.gateway.connectionCount).toBe(0)
  expect(app.load.inFlight).toBe(1)
  hung.destroy()
  await expect.poll(() => app.load.inFlight).toBe(0)
})

test('while the event loop is late requests answer 503, and no longer', async () => {
  const { app, origin } = await listening({ ...calm, delayMs: 30, leastInFlight: 0 })
  const block = setInterval(() => {
    const until = performance.now() + 80
    while (performance.now() < until);
  }, 1)
  await vi.waitUntil(() => app.load.limit === 0, { timeout: 40_000 })
  const started = performance.now()
  const answer = await fetch(`${origin}/users/@me`, { headers: { authorization: ann.token } })
  // Who is refused must not be back at once.
  expect(performance.now() - started).toBeGreaterThan(900)
  clearInterval(block)
  expect([answer.status, await answer.json()]).toEqual([503, unavailable])
  await vi.waitUntil(() => app.load.limit > 10, { timeout: 40_000 })
  await vi.waitUntil(() => app.load.limit === calm.inFlight, { timeout: 40_000 })
  expect((await fetch(`${origin}/users/@me`, { headers: { authorization: ann.token } })).status).toBe(200)
})

test('however late the event loop is, some requests are admitted', async () => {
  const { app, origin } = await listening({ ...calm, delayMs: 30, leastInFlight: 7 })
  const block = setInterval(() => {
    const until = performance.now() + 80
    while (performance.now() < until);
  }, 1)
  await vi.waitUntil(() => app.load.limit < calm.inFlight, { timeout: 40_000 })
  expect(app.load.limit).toBe(7)
  expect((await fetch(`${origin}/nowhere`)).status).toBe(404)
  clearInterval(block)
})

test.each([
  ['of an address', 40, true],
  ['of a process', 20, false],
])('who waits for a client does not count for long as one %s', async (_whose, inFlight, rateLimit) => {
  const { app, origin } = await listening({ ...calm, inFlight }, { rateLimit })
  const head = 'POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json'
  const hangAll = async () => {
    const sockets = Array.from({ length: 20 }, () => connect(portOf(app), '127.0.0.1'))
    for (const socket of sockets) socket.write(`${head}\r\ncontent-length: 5\r\n\r\n{`)
    await expect.poll(() => app.load.inFlight).toBe(20)
    const { status } = await fetch(`${origin}/nowhere`)
    // After a stall of the machine, the twenty may already have waited for long.
    if (app.load.slow === 0) expect(status).toBe(503)
    return sockets
  }
  const sockets = await hangAll()
  await vi.waitUntil(() => app.load.slow === 20, { timeout: 40_000 })
  expect((await fetch(`${origin}/nowhere`)).status).toBe(404)
  for (const each of sockets) each.destroy()
  await vi.waitUntil(() => app.load.inFlight === 0 && app.load.slow === 0, { timeout: 40_000 })
  for (const each of await hangAll()) each.destroy()
})

test('who does not read an answer does not count for long', async () => {
  const { app, origin } = await listening({ ...calm, inFlight: 20 })
  const { room_id } = await house({ owner: ann })
  // More than fits into the buffers of a connection.
  const { data } = (await sendMedia(ann, room_id, filePart(Buffer.alloc(20_000_000), 'large.bin'))).body
  const path = data.attachment.media_url.replace('http://hearth.test', '')
  const sockets = Array.from({ length: 20 }, () => connect(portOf(app), '127.0.0.1'))
  for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  await vi.waitUntil(() => app.load.slow === 20, { timeout: 40_000 })
  expect((await fetch(`${origin}/nowhere`)).status).toBe(404)
  for (const each of sockets) each.destroy()
})

test('requests that the server works on keep counting', async () => {
  const { app, origin } = await listening(calm)
  const headers = { authorization: ann.token, 'content-type': 'application/json' }
  const edit = () => fetch(`${origin}/users/@me`, { method: 'PATCH', headers, body: '{"bio":"x"}' })
  const edits = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${ann.id} for update`.execute(trx)
    const edits = Array.from({ length: 20 }, edit)
    await expect.poll(() => app.load.inFlight).toBe(20)
    const socket = await hang(app)
    await vi.waitUntil(() => app.load.slow > 0, { timeout: 40_000 })
    expect(app.load.slow).toBe(1)
    socket.destroy()
    return { answers: Promise.all(edits) }
  })
  await edits.answers
})

test('a connection may send 64 requests ahead of their answers', async () => {
  const { app } = await listening(calm)
  const socket = connect(portOf(app), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write('GET /users/@me HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(64))
  await expect.poll(() => text.match(/HTTP\/1.1 400/g)).toHaveLength(64)
  socket.destroy()
})

test('a connection that sends far ahead of its answers is hung up on', async () => {
  const { app, origin } = await listening(calm)
  const socket = connect(portOf(app), '127.0.0.1')
  socket.write('GET /users/@me HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(65))
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
  await expect.poll(() => app.load.inFlight).toBe(0)
  expect((await fetch(`${origin}/users/@me`)).status).toBe(400)
})
