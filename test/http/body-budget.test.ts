import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { listen, portOf } from '../support/gateway.ts'
import { call, type Person, unavailable, user } from '../support/world.ts'

/** A connection on which a body of so many bytes has begun to come, and does not go on. */
async function begin(
  app: FastifyInstance,
  person: Person,
  framing: string,
  type = 'application/json',
): Promise<Socket> {
  const before = app.load.inFlight
  const socket = connect(portOf(app), '127.0.0.1')
  const head = `PATCH /users/@me HTTP/1.1\r\nhost: x\r\nauthorization: ${person.token}`
  socket.write(`${head}\r\ncontent-type: ${type}\r\n${framing}\r\n\r\n`)
  await expect.poll(() => app.load.inFlight).toBe(before + 1)
  return socket
}

/** What a request with a body of so many bytes is answered. */
async function send(app: FastifyInstance, person: Person, bytes: number) {
  const answer = await fetch(`http://127.0.0.1:${portOf(app)}/users/@me`, {
    method: 'PATCH',
    headers: { authorization: person.token, 'content-type': 'application/json' },
    body: JSON.stringify({ unknown: 'x'.repeat(bytes) }),
  })
  return { status: answer.status, body: await answer.json() }
}

test.each(['content-length: 8000000', 'transfer-encoding: chunked'])(
  'a caller sends eight big bodies at a time (%s); small ones and those of others are read',
  async (framing) => {
    const app = await listen()
    const [ann, ben] = [await user(), await user()]
    const sockets: Socket[] = []
    for (let n = 0; n < 8; n += 1) sockets.push(await begin(app, ann, framing))
    const refused = await send(app, ann, 300_000)
    expect([refused.status, refused.body]).toEqual([503, unavailable])
    expect((await send(app, ann, 100_000)).status).toBe(200)
    expect((await send(app, ben, 300_000)).status).toBe(200)
    // Too large in any case: to try again later would be in vain.
    expect((await send(app, ann, 13_000_000)).status).toBe(413)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => app.load.inFlight).toBe(0)
    expect((await send(app, ann, 300_000)).status).toBe(200)
  },
)

test('a body counts where it is read whole, also one that calls itself parts', async () => {
  const app = await listen()
  const ann = await user()
  const sockets: Socket[] = []
  for (let n = 0; n < 8; n += 1) {
    sockets.push(await begin(app, ann, 'content-length: 8000000', 'multipart/form-data; boundary=x'))
  }
  expect((await send(app, ann, 300_000)).body).toEqual(unavailable)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => app.load.inFlight).toBe(0)
})

test('bodies that would take too much together are refused until others are over', async () => {
  const app = await listen()
  const people = await Promise.all(Array.from({ length: 12 }, () => user()))
  const sockets: Socket[] = []
  const beginOne = async (person: Person, bytes: number) => {
    sockets.push(await begin(app, person, `content-length: ${bytes}`))
  }
  for (let n = 0; n < 21; n += 1) await beginOne(people[n % 11]!, 12_582_912)
  const late = people[11]!
  expect((await send(app, late, 4_000_000)).status).toBe(200)
  // Of 256 MiB this leaves 304 bytes.
  await beginOne(people[10]!, 4_194_000)
  expect((await send(app, late, 100_000)).body).toEqual(unavailable)
  expect((await send(app, late, 1_000)).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => app.load.inFlight).toBe(0)
  expect((await send(app, late, 12_000_000)).status).toBe(200)
})

test('what has been answered takes nothing any more', async () => {
  const ann = await user()
  // White space, which is read and refused in no time.
  const headers = { 'content-type': 'application/json' }
  const payload = ' '.repeat(12_582_912)
  for (let n = 0; n < 22; n += 1) {
    expect((await call(ann, 'PATCH', '/users/@me', undefined, { headers, payload })).status).toBe(400)
  }
})
