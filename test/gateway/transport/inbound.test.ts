import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { Client, listen, logIn } from '../../support/gateway.ts'
import { sumOf } from '../../support/metrics.ts'
import { config, house, user } from '../../support/world.ts'

const heartbeat = '{"op":3}'
const hourMs = 3_600_000

/** The TCP connection of a client. */
function streamOf({ socket }: Client): Socket {
  return (socket as unknown as { _socket: Socket })._socket
}

/** A frame as it is on the wire, with a mask of zeros. `length`: an announced length that exceeds the payload. */
function wireFrame(
  { opcode = 1, isLast = true, length }: { opcode?: number; isLast?: boolean; length?: number },
  text = '',
): Buffer {
  const announced = length ?? text.length
  const head = [opcode | (isLast ? 0x80 : 0)]
  if (announced < 126) head.push(0x80 | announced)
  else head.push(0x80 | 126, announced >> 8, announced & 0xff)
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(text)])
}

function fragmentsOf(text: string): Buffer {
  const last = text.length - 1
  return Buffer.concat(
    [...text].map((letter, n) => wireFrame({ opcode: n === 0 ? 1 : 0, isLast: n === last }, letter)),
  )
}

/** Settles when the server has acknowledged a heartbeat of an extended client. */
async function answered(client: Client): Promise<void> {
  const acknowledged = () => client.frames.filter(({ op }) => op === 12).length
  const before = acknowledged()
  client.send({ op: 3 })
  await client.until(() => acknowledged() > before, 'the acknowledgement')
}

function sendMany(client: Client, count: number): void {
  const stream = streamOf(client)
  stream.cork()
  for (let sent = 0; sent < count; sent += 1) client.send(heartbeat)
  stream.uncork()
}

test('accepts a message in 16 fragments, and closes with 1008 for one in 17', async () => {
  const app = await listen()
  const client = await logIn(app, await user(), { extended: true })
  streamOf(client).write(fragmentsOf('{"op":3}'.padEnd(16)))
  await client.until(() => client.frames.at(-1)!.op === 12, 'the acknowledgement')
  streamOf(client).write(fragmentsOf('{"op":3}'.padEnd(17)))
  expect((await client.end()).code).toBe(1008)
})

test('closes with 1008 for a frame that comes byte by byte', async () => {
  const app = await listen()
  const client = await logIn(app, await user())
  const stream = streamOf(client)
  stream.write(wireFrame({ length: 60_000 }))
  let sent = 0
  for (; !client.closed && sent < 5_000; sent += 1) {
    stream.write('x')
    await new Promise(setImmediate)
  }
  expect(client.closed?.code).toBe(1008)
  expect(sent).toBeGreaterThanOrEqual(128)
})

test('closes a socket with 4008 that floods with heartbeats, and serves the others', async () => {
  const app = await listen()
  const [ann, ben] = [await user(), await user()]
  const calm = await logIn(app, ben, { extended: true })
  const loud = await logIn(app, ann, { extended: true })
  const stranger = new Client(app)
  await stranger.hello()
  for (const client of [loud, stranger]) {
    sendMany(client, 3_000)
    expect(await client.end()).toEqual({ code: 4008, reason: 'rate_limit' })
  }
  await answered(calm)
  await logIn(app, ann)
})

test('ends a socket that floods and does not close', async () => {
  const app = await listen({ maxReceivedOfConnection: { frames: 200, bytes: 1e6 } })
  const client = await logIn(app, await user())
  client.socket.pause()
  sendMany(client, 3_000)
  await expect.poll(() => app.gateway.connectionCount, { timeout: 10_000 }).toBe(0)
})

test('counts the frames of a user with those of their bots, but closes no calm socket', async () => {
  const app = await listen({ maxReceivedOfPerson: { frames: 300, bytes: 1e6 } })
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const [own, other, calm] = [await logIn(app, ann), await logIn(app, bot), await logIn(app, bot)]
  const stranger = await logIn(app, await user(), { extended: true })
  sendMany(own, 200)
  sendMany(other, 200)
  const ended = await Promise.race([own.end(), other.end()])
  expect(ended).toEqual({ code: 4008, reason: 'rate_limit' })
  sendMany(calm, 50)
  sendMany(stranger, 200)
  await answered(stranger)
  await expectOpen(app, calm)
})

test('counts the frames of connections that are closed until their minute is over', async () => {
  const app = await listen({ maxReceivedOfPerson: { frames: 300, bytes: 1e6 } })
  const ann = await user()
  const first = await logIn(app, ann)
  sendMany(first, 250)
  await expectOpen(app, first)
  await first.close()
  app.gateway.context.shares.forgetUnused(performance.now())
  const second = await logIn(app, ann)
  sendMany(second, 100)
  expect(await second.end()).toEqual({ code: 4008, reason: 'rate_limit' })
})

test('counts the frames of an address, and floods of strangers as failed logins', async () => {
  const rateLimits = { ...config.rateLimits, gateway: { burst: 2, refillMs: hourMs } }
  const limits = { maxReceivedOfAddress: { frames: 300, bytes: 1e6 } }
  const app = await listen(limits, { rateLimit: true, rateLimits, trustProxy: 1 })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const clients = [1, 2, 3].map(() => new Client(app, from('192.0.2.1')))
  for (const client of clients) await client.hello()
  for (const client of clients) sendMany(client, 299)
  const ends = () => clients.flatMap(({ closed }) => closed ?? [])
  const refusal = { code: 4008, reason: 'rate_limit' }
  await expect.poll(ends, { timeout: 10_000 }).toEqual([refusal, refusal])
  const refused = new Client(app, from('192.0.2.1'))
  expect((await refused.end()).code).toBe(1006)
  const elsewhere = new Client(app, from('192.0.2.2'))
  await elsewhere.hello()
  sendMany(elsewhere, 299)
  await expectOpen(app, elsewhere)
})

test('refuses logins of a person whose sockets were closed too often for what they sent', async () => {
  const app = await listen({ maxRefusedOfPerson: 2 })
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const calm = await logIn(app, ann)
  for (const person of [ann, bot]) {
    const client = await logIn(app, person)
    streamOf(client).write(fragmentsOf('{"op":3}'.padEnd(17)))
    expect((await client.end()).code).toBe(1008)
  }
  for (const { token } of [ann, bot]) {
    const client = new Client(app)
    client.send({ op: 2, d: { token } })
    expect(await client.end()).toEqual({ code: 4008, reason: 'rate_limit' })
  }
  await expectOpen(app, calm)
  await logIn(app, await user())
})

test('closes a login past the connections of a person with 4012', async () => {
  const app = await listen({ maxConnectionsPerPerson: 3 })
  const ann = await user()
  const bots = [await user({ bot_of: ann }), await user({ bot_of: ann })]
  const open = [await logIn(app, ann), await logIn(app, bots[0]!), await logIn(app, bots[1]!)]
  for (const each of [ann, ...bots]) {
    const client = new Client(app)
    client.send({ op: 2, d: { token: each.token } })
    expect(await client.end()).toEqual({ code: 4012, reason: 'too_many' })
  }
  await logIn(app, await user())
  await open[1]!.close()
  await logIn(app, ann)
})

test('bounds what the sockets of a person have begun to send', async () => {
  const app = await listen({ maxBytesOfPerson: 100_000 })
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const clients = [await logIn(app, ann), await logIn(app, bot), await logIn(app, bot)]
  const half = Buffer.concat([wireFrame({ length: 50_000 }), Buffer.alloc(40_000)])
  for (const client of clients) streamOf(client).write(half)
  const closed = await Promise.any(clients.map((client) => client.end()))
  expect(closed).toEqual({ code: 4008, reason: 'slow_consumer' })
  expect(clients.filter((client) => !client.closed)).toHaveLength(2)
})

test('bounds what the waiting requests of all sockets of a user take', async () => {
  const app = await listen({ maxBytesOfPerson: 150_000 })
  const ann = await user()
  const den = await house({ owner: ann })
  const clients = [await logIn(app, ann), await logIn(app, ann), await logIn(app, ann)]
  // While this read lasts, no other read of the person begins.
  const { promise, resolve } = Promise.withResolvers<void>()
  void app.gateway.context.memberReads(ann.id, () => promise)
  const user_ids = Array.from({ length: 1_000 }, (_none, n) => `${n + 1}`)
  for (const client of clients) client.send({ op: 7, d: { house_id: den.id, user_ids } })
  const closed = await Promise.any(clients.map((client) => client.end()))
  resolve()
  expect(closed).toEqual({ code: 4008, reason: 'slow_consumer' })
})

test('accepts a frame of 64 KiB after op 2, and none over 4 KiB before', async () => {
  const app = await listen()
  const client = await logIn(app, await user(), { extended: true })
  client.send(heartbeat.padEnd(64 * 1024))
  await client.until(() => client.frames.at(-1)!.op === 12, 'the acknowledgement')
  const stranger = new Client(app)
  await stranger.hello()
  stranger.send(heartbeat.padEnd(4 * 1024))
  stranger.send(heartbeat.padEnd(4 * 1024 + 1))
  expect(await stranger.end()).toEqual({ code: 4008, reason: 'rate_limit' })
})

test('/metrics counts the connections that the server closes by reason', async () => {
  const app = await listen({ maxFramesPerMinute: 1 })
  const client = await logIn(app, await user())
  sendMany(client, 3_000)
  await client.end()
  const { body } = await app.inject('/metrics')
  const count = (reason: string) => sumOf(body, 'hearth_gateway_closes_total', { reason })
  expect([count('rate_limit'), count('bad_frame')]).toEqual([1, 0])
})

/** Settles when the server has handled what the client has sent, and finds it open. */
async function expectOpen(app: FastifyInstance, client: Client): Promise<void> {
  let pongs = 0
  client.socket.on('pong', () => {
    pongs += 1
  })
  client.socket.ping()
  await expect.poll(() => pongs).toBe(1)
  expect(client.closed).toBeUndefined()
  expect(app.gateway.connectionCount).toBeGreaterThan(0)
}
