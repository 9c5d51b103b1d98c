import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventsWithoutSender, joinPeers } from '../../src/events/peers.ts'
import { setPresence, usersElsewhere } from '../../src/events/presence.ts'
import type { Relay } from '../../src/events/relay.ts'
import { happened, join, lost, newWire } from '../support/peers-wire.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a process alone sends no events, only a heartbeat now and then', async () => {
  const wire = newWire()
  const { peers } = join(wire)
  await vi.advanceTimersByTimeAsync(0)
  const hello = wire.sent.splice(0)
  expect(hello).toHaveLength(1)
  expect(peers.isShared).toBe(false)
  await peers.publish([happened])
  peers.publishPresence('1', 'online')
  await vi.advanceTimersByTimeAsync(29_000)
  expect(wire.sent).toEqual([])
  await vi.advanceTimersByTimeAsync(120_000)
  expect(wire.sent).toHaveLength(4)
  await peers.close()
  expect(wire.sent).toHaveLength(4)
})

test('a process that is one of many sends its events, peers or not', async () => {
  const wire = newWire()
  const { peers } = join(wire, { isOneOfMany: true })
  expect(peers.isShared).toBe(true)
  await peers.publish([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect(wire.sent.join()).toContain('typing_started')
})

test('two that were started apart get the events of each other, until one is gone', async () => {
  const wire = newWire()
  const one = join(wire)
  await vi.advanceTimersByTimeAsync(60_000)
  const other = join(wire)
  await vi.advanceTimersByTimeAsync(0)
  await one.peers.publish([happened])
  await other.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect([one.delivered, other.delivered]).toEqual([[happened], [happened]])
  expect([one.peers.isShared, other.peers.isShared]).toEqual([true, true])
  await other.peers.close()
  wire.sent.splice(0)
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect(wire.sent).toEqual([])
})

test('two that lost each other meet again', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  wire.isCut = true
  await vi.advanceTimersByTimeAsync(120_000)
  wire.isCut = false
  await vi.advanceTimersByTimeAsync(31_000)
  await one.peers.publish([happened])
  await other.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect([one.delivered, other.delivered]).toEqual([
    [lost, happened],
    [lost, happened],
  ])
})

test('events without a sender are delivered, and make nobody a peer', async () => {
  const wire = newWire()
  const one = join(wire)
  await vi.advanceTimersByTimeAsync(0)
  wire.sent.splice(0)
  wire.send(eventsWithoutSender([happened]))
  await vi.advanceTimersByTimeAsync(0)
  expect(one.delivered).toEqual([happened])
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect(wire.sent).toHaveLength(1)
})

test('a process of which a sign of life is the first that is heard is told who is online here, and asked the same', async () => {
  const wire = newWire()
  setPresence('5', 'online')
  join(wire)
  await vi.advanceTimersByTimeAsync(0)
  wire.sent.splice(0)
  wire.send(JSON.stringify([{ from: 'there', count: 0, type: 'alive' }]))
  await vi.advanceTimersByTimeAsync(0)
  setPresence('5', 'offline')
  const answers = wire.sent.slice(1).flatMap((text) => JSON.parse(text))
  expect(answers).toMatchObject([{ type: 'online', users: ['5'] }, { type: 'hello' }])
})

test.each(['stops', 'is silent'])(
  'whoever is online at a process alone is offline once it %s, and what a silent one did not tell counts as lost',
  async (how) => {
    const wire = newWire()
    const here = join(wire)
    const there = wire.open()
    there.listen(() => {})
    const say = (message: object) => there.send(JSON.stringify([{ from: 'there', count: 0, ...message }]))
    await say({ type: 'online', users: ['8', '9'] })
    await vi.advanceTimersByTimeAsync(10_000)
    await say({ type: 'alive' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(usersElsewhere()).toEqual(expect.arrayContaining(['8', '9']))
    here.delivered.splice(0)
    if (how === 'stops') await say({ type: 'gone' })
    else await vi.advanceTimersByTimeAsync(10_000)
    const offline = ['8', '9'].map((user_id) => ({ type: 'presence_changed', user_id, presence: 'offline' }))
    expect(here.delivered).toEqual(how === 'stops' ? offline : [...offline, lost])
    expect(usersElsewhere()).toEqual([])
    here.delivered.splice(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(here.delivered).toEqual([])
  },
)

test('while nothing can be sent, nobody counts as silent', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  setPresence('6', 'online')
  one.peers.publishPresence('6', 'online')
  await vi.advanceTimersByTimeAsync(0)
  wire.failures = Number.POSITIVE_INFINITY
  await vi.advanceTimersByTimeAsync(60_000)
  wire.failures = 0
  await vi.advanceTimersByTimeAsync(60_000)
  expect(usersElsewhere()).toContain('6')
  expect([one.delivered, other.delivered]).toEqual([[], []])
  setPresence('6', 'offline')
  await Promise.all([one.peers.close(), other.peers.close()])
})

test('an old presence that comes a second time changes nothing', async () => {
  const wire = newWire()
  const here = join(wire)
  const come = async (count: number, presence: string) => {
    wire.send(JSON.stringify([{ from: 'there', count, type: 'presence', user_id: '6', presence }]))
    await vi.advanceTimersByTimeAsync(0)
  }
  await come(1, 'online')
  await come(2, 'offline')
  here.delivered.splice(0)
  await come(1, 'online')
  expect([here.delivered, usersElsewhere()]).toEqual([[], []])
})

test('a stop sends what was published before it, and a goodbye, before it closes the relay', async () => {
  const done: string[] = []
  const slow: Relay = {
    async send(text) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      done.push(...JSON.parse(text).map((message: { type: string }) => message.type))
    },
    listen: () => {},
    close: async () => void done.push('closed'),
  }
  const peers = joinPeers(slow, async () => {}, { isOneOfMany: true })
  await peers.publish([happened])
  const closing = peers.close()
  await vi.advanceTimersByTimeAsync(1_000)
  await closing
  expect(done).toEqual(['hello', 'events', 'gone', 'closed'])
})
