import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src/gateway/settings.ts'
import type { Connection } from '../../../src/gateway/transport/connection.ts'
import type { Share } from '../../../src/gateway/transport/share.ts'
import { Shares } from '../../../src/gateway/transport/shares.ts'
import { Client, listen, logIn } from '../../support/gateway.ts'
import { bus, call, house, user } from '../../support/world.ts'

/** A connection with buffered bytes that a test sets. */
class FakeConnection {
  state: 'open' | 'closed' | 'ended' = 'open'
  buffered = 0
  countedBytes = 0
  address = '192.0.2.1'
  #shares: readonly Share[] = []

  get isOpen() {
    return this.state === 'open'
  }

  countIn(shares: readonly Share[]) {
    for (const share of this.#shares) share.buffered.delete(this as unknown as Connection)
    this.#shares = shares
    for (const share of shares) share.buffered.add(this as unknown as Connection)
  }

  send(bytes: number) {
    this.buffered += bytes
    this.countBuffered()
  }

  countBuffered() {
    const change = this.buffered - this.countedBytes
    this.countedBytes = this.buffered
    for (const share of this.#shares) share.buffered.change(change)
    return this.buffered
  }

  close() {
    this.state = 'closed'
  }

  terminate() {
    this.state = 'ended'
    this.buffered = 0
  }
}

function bound(ofPerson: number, ofAddress: number, ofAll: number): Shares {
  const bytes = { maxBytesOfPerson: ofPerson, maxBytesOfAddress: ofAddress, maxBytesOfAll: ofAll }
  return new Shares({ ...defaultSettings, ...bytes })
}

function connect(shares: Shares, personId: string | undefined, address?: string): FakeConnection {
  const fake = new FakeConnection()
  if (address) fake.address = address
  const connection = fake as unknown as Connection
  shares.open(connection)
  if (personId) shares.logIn(connection, personId)
  return fake
}

test('closes the heaviest connection of a user past the bound, and no other', () => {
  const bounds = bound(1_000, 10_000, 10_000)
  const [one, two, three] = [connect(bounds, 'ann'), connect(bounds, 'ann'), connect(bounds, 'ann')]
  const other = connect(bounds, 'ben')
  other.send(900)
  one.send(300)
  two.send(500)
  three.send(190)
  expect([one, two, three, other].map(({ state }) => state)).toEqual(Array(4).fill('open'))
  three.send(200)
  expect([one, two, three, other].map(({ state }) => state)).toEqual(['open', 'closed', 'open', 'open'])
})

test('does not count bytes that were read since', () => {
  const bounds = bound(1_000, 10_000, 10_000)
  const connections = Array.from({ length: 20 }, () => connect(bounds, 'ann'))
  for (const connection of connections) {
    connection.send(900)
    connection.buffered = 0
  }
  expect(connections.every(({ isOpen }) => isOpen)).toBe(true)
})

test('closes the heaviest of all connections, and terminates closed ones that are not read', () => {
  const bounds = bound(5_000, 20_000, 10_000)
  const connections = Array.from({ length: 10 }, (_none, place) => connect(bounds, `user ${place}`))
  for (const [place, connection] of connections.entries()) connection.send(990 - place)
  expect(connections.every(({ isOpen }) => isOpen)).toBe(true)
  connections[9]!.send(3_000)
  expect(connections.map(({ state }) => state)).toEqual([...Array(9).fill('open'), 'closed'])
  for (const connection of connections) if (connection.isOpen) connection.send(1_000)
  expect(connections[9]!.state).toBe('ended')
  const open = connections.filter(({ isOpen }) => isOpen)
  expect(open.length).toBeLessThan(9)
  const sum = open.reduce((bytes, one) => bytes + one.buffered, 0)
  expect(sum).toBeLessThanOrEqual(10_000 * (1 + 1 / 16))
  expect(sum).toBeGreaterThan(5_000)
})

test('bounds the connections of an address, whether they are logged in or not', () => {
  const bounds = bound(1_000, 2_000, 10_000)
  const strangers = [connect(bounds, undefined), connect(bounds, undefined), connect(bounds, undefined)]
  const [here, elsewhere] = [connect(bounds, 'ann'), connect(bounds, 'ben', '192.0.2.2')]
  for (const one of [...strangers, here, elsewhere]) one.send(500)
  expect([...strangers, here, elsewhere].every(({ isOpen }) => isOpen)).toBe(true)
  strangers[1]!.send(600)
  expect(strangers.map(({ state }) => state)).toEqual(['open', 'closed', 'open'])
  expect([here.state, elsewhere.state]).toEqual(['open', 'open'])
})

test('forgets the bytes of a person and an address with their last connection', () => {
  const bounds = bound(1_000, 1_000, 10_000)
  for (let count = 0; count < 5; count += 1) {
    const connection = connect(bounds, 'ann')
    connection.send(900)
    connection.countIn([])
    expect([connection.state, bounds.countConnections('ann')]).toEqual(['open', 0])
    bounds.forgetUnused(60_000)
  }
})

test('bounds the unsent bytes of all sockets of a user', async () => {
  const app = await listen({ maxBytesOfPerson: 10 * 1024 * 1024 })
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const reader = await logIn(app, ann)
  const idle = [await logIn(app, ben), await logIn(app, ben), await logIn(app, ben)]
  for (const client of idle) client.socket.pause()
  const connections = app.gateway.registry.sessionsOfUser(ben.id).map((session) => session.connection!)
  // Only the size of the frame matters here.
  const typing = { type: 'typing_started' as const, room_id: den.room_id, house_id: den.id, timestamp: 1 }
  const [author_id, most] = ['x'.repeat(64 * 1024), { bytes: 0 }]
  for (let count = 0; count < 1_000 && connections.every(({ isOpen }) => isOpen); count += 1) {
    await bus.publish([{ ...typing, author_id }])
    await new Promise(setImmediate)
    const waiting = connections.map((each) => each.countBuffered())
    most.bytes = Math.max(most.bytes, ...waiting)
  }
  expect(connections.filter(({ isOpen }) => isOpen)).toHaveLength(2)
  expect(most.bytes).toBeLessThan(8 * 1024 * 1024)
  for (const client of idle) client.socket.resume()
  const closed = await Promise.any(idle.map((client) => client.end()))
  expect(closed).toEqual({ code: 4008, reason: 'slow_consumer' })
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'still here' })
  await reader.next('MESSAGE_CREATE')
})

test('sends concurrent logins of one user one after another', async () => {
  const app = await listen({ houseJoinDelayMs: 50 })
  const ann = await user()
  await house({ owner: ann })
  const clients = Array.from({ length: 5 }, () => new Client(app))
  const seen: [client: number, name: string][] = []
  for (const [place, client] of clients.entries()) {
    client.socket.on('message', (data) => {
      const { e } = JSON.parse(String(data))
      if (e) seen.push([place, e])
    })
    client.send({ op: 2, d: { token: ann.token } })
  }
  for (const client of clients) await client.next('HOUSE_JOIN')
  // Each HOUSE_JOIN comes before the next INIT_STATE.
  const names = seen.filter(([, name]) => name === 'INIT_STATE' || name === 'HOUSE_JOIN')
  expect(names.map(([, name]) => name)).toEqual(Array(5).fill(['INIT_STATE', 'HOUSE_JOIN']).flat())
  for (let turn = 0; turn < 10; turn += 2) expect(names[turn]![0]).toBe(names[turn + 1]![0])
})
