import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { atEnd } from '../../support/at-end.ts'
import { portOf } from '../../support/gateway.ts'
import { pictureText } from '../../support/own-user.ts'
import { bus, config, db, type Person, presences, store, unavailable, user } from '../../support/world.ts'

const kib = 1024
const inFlight = { inFlight: 10_000, leastInFlight: 10_000, delayMs: 1e9, answerMs: 250 }

/** An app with so much memory for bodies, listening. */
async function listen(bytes?: number): Promise<FastifyInstance> {
  const app = await buildApp({
    config,
    db,
    store,
    bus,
    presences,
    loadLimits: inFlight,
    bodyLimits: { bytes },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => app.close())
  return app
}

/** A connection on which the beginning of a long body was sent, with what has been answered on it. */
type Unfinished = { socket: Socket; answer: () => string }

/** Sends so many bytes of a body that announces more. */
function begin(
  app: FastifyInstance,
  route: string,
  { token, announced, bytes }: { token?: string; announced: string; bytes: number },
): Unfinished {
  const socket = connect(portOf(app), '127.0.0.1').setEncoding('utf8')
  let answer = ''
  socket
    .on('error', () => {})
    .on('data', (text) => {
      answer += text
    })
  const sender = token === undefined ? '' : `authorization: ${token}\r\n`
  const head = `${route} HTTP/1.1\r\nhost: x\r\n${sender}content-type: application/json\r\n${announced}\r\n\r\n`
  const start = announced.startsWith('transfer') ? `${bytes.toString(16)}\r\n` : ''
  socket.write(`${head}${start}{"x":"${'x'.repeat(bytes - 6)}`)
  return { socket, answer: () => answer }
}

/** What a request with a body of so many bytes is answered. */
async function send(app: FastifyInstance, { token }: Person, bytes: number) {
  const answer = await fetch(`http://127.0.0.1:${portOf(app)}/users/@me`, {
    method: 'PATCH',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ unknown: 'x'.repeat(bytes - 14) }),
  })
  return { status: answer.status, body: await answer.json() }
}

async function hangUp(app: FastifyInstance, unfinished: Unfinished[]): Promise<void> {
  for (const { socket } of unfinished) socket.destroy()
  await expect.poll(() => [app.load.inFlight, app.bodies.bytes]).toEqual([0, 0])
}

test('a thousand half-sent logins leave the memory for bodies to others', async () => {
  const app = await listen(1024 * kib)
  const logins: Unfinished[] = []
  for (let n = 0; n < 1_024; n += 1) {
    const announced = n % 2 === 0 ? 'content-length: 262144' : 'transfer-encoding: chunked'
    logins.push(begin(app, 'POST /auth/login', { announced, bytes: 110 }))
  }
  await expect.poll(() => app.load.inFlight, { timeout: 60_000 }).toBe(logins.length)
  expect(app.bodies.bytes).toBe(0)
  expect((await send(app, await user(), 900 * kib)).status).toBe(200)
  await hangUp(app, logins)
})

test.each([['content-length: 8000000'], ['transfer-encoding: chunked']])(
  'whoever holds the most is refused their latest body (%s)',
  async (announced) => {
    const app = await listen(1024 * kib)
    const [ann, ben] = [await user(), await user()]
    const bodies: Unfinished[] = []
    for (let n = 1; n <= 3; n += 1) {
      bodies.push(begin(app, 'PATCH /users/@me', { token: ann.token, announced, bytes: 300 * kib }))
      await expect.poll(() => app.bodies.bytes).toBeGreaterThanOrEqual(n * 300 * kib)
    }
    expect((await send(app, ben, 200 * kib)).status).toBe(200)
    await expect.poll(() => bodies[2]!.answer()).toContain('HTTP/1.1 503')
    expect(bodies[2]!.answer()).toContain(JSON.stringify(unavailable))
    expect(bodies.slice(0, 2).map(({ answer }) => answer())).toEqual(['', ''])
    // Now ann's own latest is the one that is too much.
    expect((await send(app, ann, 600 * kib)).body).toEqual(unavailable)
    expect((await send(app, ben, 400 * kib)).status).toBe(200)
    await hangUp(app, bodies)
    expect((await send(app, ann, 600 * kib)).status).toBe(200)
  },
)

test('a body in tiny pieces is read as it was sent, and counts what was received', async () => {
  const app = await listen()
  const ann = await user()
  const bio = 'ä'.repeat(500)
  const text = JSON.stringify({ unknown: 'y'.repeat(30 * kib), bio })
  const socket = connect(portOf(app), '127.0.0.1').setEncoding('utf8').setNoDelay()
  let answer = ''
  socket.on('data', (part) => {
    answer += part
  })
  const body = Buffer.from(text)
  socket.write(`PATCH /users/@me HTTP/1.1\r\nhost: x\r\nauthorization: ${ann.token}\r\n`)
  socket.write(`content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
  for (let at = 0; at < body.length - 10; at += 37)
    socket.write(body.subarray(at, Math.min(at + 37, body.length - 10)))
  await expect.poll(() => app.bodies.bytes).toBe(body.length - 10)
  socket.write(body.subarray(-10))
  await expect.poll(() => answer).toContain(`"bio":"${bio}"`)
  expect(app.bodies.bytes).toBe(0)
  socket.destroy()
})

test('pictures of three accounts at once leave room for those of a fourth', async () => {
  const app = await listen(6_000 * kib)
  const people = await Promise.all(Array.from({ length: 4 }, () => user()))
  const icon = await pictureText('png', { width: 400, height: 400 })
  expect(icon.length).toBeGreaterThan(500 * kib)
  const upload = (person: Person) =>
    fetch(`http://127.0.0.1:${portOf(app)}/users/@me`, {
      method: 'PATCH',
      headers: { authorization: person.token, 'content-type': 'application/json' },
      body: JSON.stringify({ icon }),
    })
  const greedy = people.slice(0, 3).flatMap((person) => Array.from({ length: 8 }, () => upload(person)))
  for (let n = 0; n < 8; n += 1) expect((await upload(people[3]!)).status).toBe(200)
  const statuses = new Set((await Promise.all(greedy)).map(({ status }) => status))
  expect([...statuses].sort()).toEqual([200, 503])
  await expect.poll(() => app.bodies.bytes).toBe(0)
})

test('what has been answered takes nothing any more', async () => {
  const app = await listen(1024 * kib)
  const ann = await user()
  for (let n = 0; n < 22; n += 1) expect((await send(app, ann, 100 * kib)).status).toBe(200)
})

test('a body that is too large is refused as such, however full the memory is', async () => {
  const app = await listen(100 * kib)
  const ann = await user()
  expect((await send(app, ann, 13_000 * kib)).status).toBe(413)
  expect((await send(app, ann, 200 * kib)).body).toEqual(unavailable)
  expect((await send(app, ann, 90 * kib)).status).toBe(200)
})
