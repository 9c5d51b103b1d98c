import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { UnreadResponseLimits } from '../../../src/http/load/unread-responses.ts'
import { atEnd } from '../../support/at-end.ts'
import { crowd, groups } from '../../support/crowds.ts'
import { portOf } from '../../support/gateway.ts'
import { bus, config, db, type Person, presences, store, user } from '../../support/world.ts'

/** A listening app with these limits. The system buffers up to some 4 MB of a connection. */
async function listening(limits: Partial<UnreadResponseLimits>): Promise<FastifyInstance> {
  const unreadLimits = { countedFromBytes: 1_024, ofOneBytes: 1e9, ofAllBytes: 1e9, ...limits }
  const app = await buildApp({ config, db, store, bus, presences, unreadLimits })
  await app.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => app.close())
  return app
}

/** Somebody whose list of private rooms is as long as answers are. */
async function popular(): Promise<Person> {
  const person = await user()
  const people = await crowd(49, { bio: '🚀'.repeat(512), name: '🚀'.repeat(64) })
  await groups({ id: people[0]! }, [...people.slice(1), person.id], 40)
  return person
}

/** A connection that asks for the list so many times, one behind the other, and reads nothing. */
async function ask(app: FastifyInstance, person: Person, times: number): Promise<Socket> {
  const before = app.load.inFlight
  const socket = connect(portOf(app), '127.0.0.1').pause()
  const head = `GET /users/@me/rooms HTTP/1.1\r\nhost: x\r\nauthorization: ${person.token}\r\n\r\n`
  socket.write(head.repeat(times))
  // The first answer may be with the system by now.
  await expect.poll(() => app.load.inFlight).toBeGreaterThanOrEqual(before + times - 1)
  // Made after those before it: a user's lists are made one by one.
  expect(await list(app, person)).toBeGreaterThan(20)
  return socket
}

/** Asks for the list, reads it, and gives its length. */
async function list(app: FastifyInstance, person: Person): Promise<number> {
  const headers = { authorization: person.token, connection: 'close' }
  const answer = await fetch(`http://127.0.0.1:${portOf(app)}/users/@me/rooms`, { headers })
  return ((await answer.json()) as { data: unknown[] }).data.length
}

function connections({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

/** Whether the server has closed a connection, which shows when it is read to its end. */
function isClosed(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on('close', () => resolve(true))
    socket.on('error', () => {})
    socket.resume()
  })
}

test('of a user who does not read, the connection is closed, and another is answered', async () => {
  const app = await listening({ ofOneBytes: 12_000_000 })
  const socket = await ask(app, await popular(), 10)
  await expect.poll(() => connections(app)).toBe(0)
  socket.destroy()
})

test('past the bound of all, the connection of who has the most unread is closed', async () => {
  const app = await listening({ ofAllBytes: 27_000_000 })
  const [ann, ben] = [await popular(), await popular()]
  const sockets = [await ask(app, ann, 6), await ask(app, ben, 4)]
  await expect.poll(() => connections(app)).toBe(1)
  expect(await isClosed(sockets[0]!)).toBe(true)
  for (const socket of sockets) socket.destroy()
})

test('who reads is not closed, however much it is', async () => {
  const app = await listening({ ofOneBytes: 12_000_000 })
  const ann = await popular()
  for (let round = 0; round < 6; round += 1) expect(await list(app, ann)).toBeGreaterThan(20)
})
