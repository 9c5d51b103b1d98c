import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { eventsWithoutSender, joinPeers, type PeerSettings } from '../../src/events/peers.ts'
import { setPresence, usersElsewhere } from '../../src/events/presence.ts'
import type { Relay } from '../../src/events/relay.ts'

const happened: HearthEvent = {
  type: 'typing_started',
  room_id: '1',
  house_id: null,
  author_id: '2',
  timestamp: 3,
}
const lost: HearthEvent = { type: 'events_lost' }

/** A wire between processes of this test; one that is cut loses everything, and so many `failures` are noticed. */
function newWire() {
  const receivers = new Map<object, (text: string) => void>()
  const sent: string[] = []
  const wire = { isCut: false, failures: 0, sent, send, open }

  function send(text: string, sender?: object): void {
    sent.push(text)
    if (!wire.isCut) for (const [one, receive] of receivers) if (one !== sender) receive(text)
  }

  function open(): Relay {
    const self = {}
    return {
      async send(text) {
        wire.failures -= 1
        if (wire.failures >= 0) throw new Error('the relay is away')
        send(text, self)
      },
      listen: (receive) => receivers.set(self, receive),
      close: async () => void receivers.delete(self),
    }
  }
  return wire
}

type Wire = ReturnType<typeof newWire>

function join(wire: Wire, settings: Partial<PeerSettings> = {}) {
  const delivered: HearthEvent[] = []
  const peers = joinPeers(wire.open(), async (events) => void delivered.push(...events), settings)
  return { peers, delivered }
}

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
  expect([one.delivered, other.delivered]).toEqual([[happened], [happened]])
})

test('events that were lost on the way are noticed by the next heartbeat, and nothing else is', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(other.delivered.splice(0)).toEqual([happened])
  wire.isCut = true
  await vi.advanceTimersByTimeAsync(10_000)
  wire.isCut = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(other.delivered).toEqual([])
  wire.isCut = true
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(0)
  wire.isCut = false
  await vi.advanceTimersByTimeAsync(6_000)
  expect([one.delivered, other.delivered]).toEqual([[], [lost]])
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(other.delivered).toEqual([lost, happened])
})

test('a process that stood still for so long that it was forgotten notices what it was not sent', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  wire.isCut = true
  await vi.advanceTimersByTimeAsync(21_000)
  await one.peers.publish([happened])
  wire.isCut = false
  other.peers.publishPresence('1', 'online')
  await vi.advanceTimersByTimeAsync(31_000)
  expect(other.delivered).toContainEqual(lost)
})

test('a text that could not be sent is sent again, and one that comes twice counts once', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  wire.failures = 3
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(100)
  expect(other.delivered).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  const [twice] = wire.sent.filter((text) => text.includes('typing_started'))
  wire.send(twice!)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(other.delivered).toEqual([happened])
})

test('who is online at a process is asked for anew when something was lost', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  setPresence('7', 'online')
  one.peers.publishPresence('7', 'online')
  await vi.advanceTimersByTimeAsync(0)
  expect(usersElsewhere()).toContain('7')
  setPresence('7', 'offline')
  wire.isCut = true
  one.peers.publishPresence('7', 'offline')
  await vi.advanceTimersByTimeAsync(0)
  wire.isCut = false
  await vi.advanceTimersByTimeAsync(8_000)
  expect(other.delivered).toContainEqual(lost)
  expect(usersElsewhere()).not.toContain('7')
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

test('who lets a member join waits until every peer has told their sockets, or a second', async () => {
  const wire = newWire()
  const one = join(wire)
  let finish = () => {}
  const busy = new Promise<void>((resolve) => {
    finish = resolve
  })
  const slow = joinPeers(wire.open(), () => busy)
  await vi.advanceTimersByTimeAsync(0)
  const joined: HearthEvent = { type: 'member_joined', house_id: '1', user_id: '2' }
  let settled = 0
  const publish = () => one.peers.publish([joined]).then(() => (settled += 1))
  void publish()
  await vi.advanceTimersByTimeAsync(500)
  expect(settled).toBe(0)
  finish()
  await vi.advanceTimersByTimeAsync(0)
  expect(settled).toBe(1)
  wire.isCut = true
  void publish()
  await vi.advanceTimersByTimeAsync(900)
  expect(settled).toBe(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(settled).toBe(2)
  await slow.close()
})

test('a peer that did not answer for a second is not waited for again before it is heard', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  let settled = 0
  const publish = () =>
    one.peers.publish([{ type: 'house_deleted', house_id: '1' }]).then(() => (settled += 1))
  wire.isCut = true
  void publish()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(settled).toBe(1)
  void publish()
  await vi.advanceTimersByTimeAsync(0)
  expect(settled).toBe(2)
  wire.isCut = false
  await vi.advanceTimersByTimeAsync(5_000)
  wire.isCut = true
  void publish()
  await vi.advanceTimersByTimeAsync(900)
  expect(settled).toBe(2)
  await vi.advanceTimersByTimeAsync(100)
  expect(settled).toBe(3)
  await other.peers.close()
})
