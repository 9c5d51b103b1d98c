import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src/gateway/settings.ts'
import { Client, listen, logIn, portOf, resume, untilReady } from '../../support/gateway.ts'
import { bus, call, config, house, user } from '../../support/world.ts'

/** Long enough for no attempt to be given back during a test. */
const hourMs = 3_600_000

test('the default settings are those of docs/gateway.md', () => {
  expect(defaultSettings).toMatchObject({
    houseJoinDelayMs: 50,
    loginTimeoutMs: 30_000,
    pingAfterMs: 45_000,
    pingEveryMs: 15_000,
    closeSilentAfterMs: 90_000,
    offlineAfterMs: 5_000,
    stopWithinMs: 5_000,
    maxUnauthenticatedPerAddress: 100,
    maxConnectionsPerUser: 50,
    maxFramesPerMinute: 120,
    joinEventsForMs: 1_000,
  })
})

test('closes a connection without a login with 4003 login_timeout', async () => {
  const app = await listen({ loginTimeoutMs: 60, sweepEveryMs: 10 })
  const client = new Client(app)
  client.send({ op: 3 })
  expect(await client.end()).toEqual({ code: 4003, reason: 'login_timeout' })
})

test('pings a silent client, and closes one that does not answer with 4007', async () => {
  const app = await listen({
    pingAfterMs: 20,
    pingEveryMs: 10,
    closeSilentAfterMs: 100,
    sweepEveryMs: 5,
  })
  const answering = await logIn(app, await user())
  let pings = 0
  answering.socket.on('ping', () => {
    pings += 1
  })
  const deaf = new Client(app)
  deaf.socket.on('upgrade', () => {
    ;(deaf.socket as unknown as { _autoPong: boolean })._autoPong = false
  })
  let unanswered = 0
  deaf.socket.on('ping', () => {
    unanswered += 1
  })
  deaf.send({ op: 2, d: { token: (await user()).token } })
  expect(await deaf.end()).toEqual({ code: 4007, reason: 'heartbeat_missing' })
  await expect.poll(() => pings).toBeGreaterThan(2)
  expect(answering.closed).toBeUndefined()
  // One after 20 ms, then at most one every 10 ms.
  expect(unanswered).toBeGreaterThan(1)
  expect(unanswered).toBeLessThanOrEqual(8)
})

test('answers each of 500 pings sent at once', async () => {
  const client = await logIn(await listen(), await user())
  let pongs = 0
  client.socket.on('pong', () => {
    pongs += 1
  })
  const { _socket: stream } = client.socket as unknown as { _socket: Socket }
  stream.cork()
  for (let count = 0; count < 500; count++) client.socket.ping()
  stream.uncork()
  await expect.poll(() => [pongs, client.closed]).toEqual([500, undefined])
})

test('closes a login past the connections of a user with 4012', async () => {
  const app = await listen({ maxConnectionsPerUser: 3 })
  const ann = await user()
  const clients = [await logIn(app, ann), await logIn(app, ann), await logIn(app, ann)]
  const one = new Client(app)
  one.send({ op: 2, d: { token: ann.token } })
  expect(await one.end()).toEqual({ code: 4012, reason: 'too_many' })
  await clients[0]!.close()
  await logIn(app, ann)
})

test('answers an upgrade with 429 after 20 failed logins of an address', async () => {
  const rateLimits = { ...config.rateLimits, gateway: { burst: 20, refillMs: hourMs } }
  const app = await listen({}, { rateLimit: true, rateLimits })
  for (let count = 0; count < 20; count++) {
    const client = new Client(app)
    client.send({ op: 2, d: { token: 'x' } })
    expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  }
  const answer = await refusedUpgrade(app)
  expect(answer.status).toBe(429)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(answer.headers).toMatchObject({
    'ratelimit-limit': '20',
    'ratelimit-remaining': '0',
    'ratelimit-reset': answer.headers['retry-after'],
    'x-ratelimit-limit': '20',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(JSON.parse(answer.body).expires_at),
  })
  expect(JSON.parse(answer.body)).toEqual({
    success: false,
    error: { code: 'rate_limit', message: 'You are being rate limited' },
    expires_at: expect.any(Number),
  })
})

test('counts failed logins by the address that a trusted proxy names', async () => {
  const rateLimits = { ...config.rateLimits, gateway: { burst: 2, refillMs: hourMs } }
  const failFrom = async (app: FastifyInstance, address: string) => {
    const client = new Client(app, { headers: { 'x-forwarded-for': address } })
    client.send({ op: 2, d: { token: 'x' } })
    expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  }
  const behind = await listen({}, { rateLimit: true, rateLimits, trustProxy: 1 })
  await failFrom(behind, '192.0.2.1')
  await failFrom(behind, '192.0.2.1')
  const refused = await refusedUpgrade(behind, { 'x-forwarded-for': '192.0.2.1' })
  expect(refused).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '2' } })
  await failFrom(behind, '192.0.2.2')

  const open = await listen({}, { rateLimit: true, rateLimits })
  await failFrom(open, '192.0.2.1')
  await failFrom(open, '192.0.2.2')
  expect((await refusedUpgrade(open, { 'x-forwarded-for': '192.0.2.3' })).status).toBe(429)
})

test('answers an upgrade with 429 past the unauthenticated connections of an address', async () => {
  const limits = { maxUnauthenticatedPerAddress: 3 }
  const app = await listen(limits, { rateLimit: true, trustProxy: 1 })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const ann = await user()
  const idle = [1, 2].map(() => new Client(app, from('192.0.2.1')))
  for (const client of idle) await client.hello()
  const failed = new Client(app, from('192.0.2.1'))
  failed.send({ op: 2, d: { token: 'x' } })
  await failed.end()
  // A closed connection no longer counts once the server has noticed.
  await expect.poll(() => app.gateway.connectionCount).toBe(2)
  await logIn(app, ann, from('192.0.2.1'))
  await new Client(app, from('192.0.2.1')).hello()
  const refused = await refusedUpgrade(app, from('192.0.2.1').headers)
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '30', 'ratelimit-limit': '3' } })
  await new Client(app, from('192.0.2.2')).hello()
  await logIn(app, ann, from('192.0.2.2'))
  await idle[0]!.close()
  await expect.poll(() => app.gateway.countUnauthenticated('192.0.2.1')).toBe(2)
  await logIn(app, ann, from('192.0.2.1'))

  const unlimited = await listen(limits, { rateLimit: false })
  for (let count = 0; count < 5; count += 1) await new Client(unlimited).hello()
})

test('answers an upgrade with 429 once many sockets of the address have ended before a login', async () => {
  const limits = { endedEarly: { burst: 2, refillMs: hourMs } }
  const app = await listen(limits, { rateLimit: true, trustProxy: 1 })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const ann = await user()
  const comeAndGo = async (on: FastifyInstance, address: string) => {
    const client = new Client(on, from(address))
    await client.hello()
    await client.close()
    await expect.poll(() => on.gateway.connectionCount).toBe(0)
  }
  for (let count = 0; count < 3; count += 1) {
    const client = await logIn(app, ann, from('192.0.2.1'))
    await client.close()
    await expect.poll(() => app.gateway.connectionCount).toBe(0)
  }
  await comeAndGo(app, '192.0.2.1')
  await comeAndGo(app, '192.0.2.1')
  const refused = await refusedUpgrade(app, from('192.0.2.1').headers)
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '3600', 'ratelimit-limit': '2' } })
  expect(app.gateway.refusals.counts.get('ended_early')).toBe(1)
  await logIn(app, ann, from('192.0.2.2'))

  const unlimited = await listen(limits, { rateLimit: false, trustProxy: 1 })
  for (let count = 0; count < 4; count += 1) await comeAndGo(unlimited, '192.0.2.1')
})

test('does not limit failed logins where rate limits are off', async () => {
  const rateLimits = { ...config.rateLimits, gateway: { burst: 1, refillMs: hourMs } }
  const app = await listen({}, { rateLimit: false, rateLimits })
  for (let count = 0; count < 2; count++) {
    const client = new Client(app)
    client.send({ op: 2, d: { token: 'x' } })
    expect(await client.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  }
})

test('limits what people and addresses send unless rate limits are off', async () => {
  const { maxReceivedOfPerson, maxReceivedOfAddress, maxRefusedOfPerson } = defaultSettings
  const on = await listen({}, { rateLimit: true })
  expect(on.gateway.context.settings).toMatchObject({
    maxReceivedOfPerson,
    maxReceivedOfAddress,
    maxRefusedOfPerson,
  })
  const off = await listen({ houseJoinDelayMs: 6 }, { rateLimit: false })
  const { settings } = off.gateway.context
  expect(settings.maxReceivedOfConnection).toEqual(defaultSettings.maxReceivedOfConnection)
  const shared = [settings.maxReceivedOfPerson.frames, settings.maxReceivedOfAddress.bytes]
  expect([...shared, settings.maxRefusedOfPerson]).toEqual(Array(3).fill(Number.POSITIVE_INFINITY))
})

test('closes a client that does not read with 4008; it may resume, and delays no other', async () => {
  const app = await listen()
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const quick = await logIn(app, ann)
  const slow = await logIn(app, ben)
  slow.socket.pause()
  const text = 'x'.repeat(4_000)
  const typing = { type: 'typing_started' as const, room_id: den.room_id, house_id: den.id, timestamp: 1 }
  for (let count = 0; app.gateway.connectionCount > 0 && count < 20_000; count++) {
    // Only the size of the frame matters here.
    await bus.publish([{ ...typing, author_id: text }])
    if (count % 50 === 0) await new Promise(setImmediate)
    const session = app.gateway.registry.sessionsOfUser(ben.id)[0]
    if (!session?.connection.isOpen) break
  }
  slow.socket.resume()
  expect(await slow.end()).toEqual({ code: 4008, reason: 'slow_consumer' })
  const again = resume(app, ben, slow.events[0]!.d.session_id, slow.events.at(-1)!.seq!)
  await again.next('RESUMED')
  const before = quick.events.length
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'still here' })
  await quick.next('MESSAGE_CREATE')
  expect(before).toBeGreaterThan(1_000)
})

test('a stop closes connections with 1001 going_away after queued frames', async () => {
  const app = await listen({ houseJoinDelayMs: 5 })
  const ann = await user()
  const den = await house({ owner: ann })
  const client = await logIn(app, ann)
  await untilReady(app, client)
  const stranger = new Client(app)
  await stranger.hello()
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'last words' })
  const port = portOf(app)
  await app.close()
  expect(await client.end()).toEqual({ code: 1001, reason: 'going_away' })
  expect(await stranger.end()).toEqual({ code: 1001, reason: 'going_away' })
  expect(client.events.at(-1)!.e).toBe('MESSAGE_CREATE')
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow()
})

test('a stop waits no longer than its limit for a client that does not read', async () => {
  const app = await listen({ stopWithinMs: 100 })
  const client = await logIn(app, await user())
  client.socket.pause()
  await app.close()
})

/** The answer to a refused upgrade. */
function refusedUpgrade(app: FastifyInstance, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve) => {
    const client = new Client(app, { headers })
    client.socket.on('unexpected-response', async (_request, response) => {
      let body = ''
      for await (const part of response) body += part
      resolve({ status: response.statusCode!, headers: response.headers, body })
    })
  })
}
