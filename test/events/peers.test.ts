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
  const publish = () => one.peers.publish([happened, joined]).then(() => (settled += 1))
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

test('who waits for a peer that stops waits no longer than it is there', async () => {
  const wire = newWire()
  const one = join(wire)
  const stopping = joinPeers(wire.open(), () => new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(0)
  let isSettled = false
  const publish = () => one.peers.publish([{ type: 'member_joined', house_id: '1', user_id: '2' }])
  void publish().then(() => {
    isSettled = true
  })
  await vi.advanceTimersByTimeAsync(100)
  expect(isSettled).toBe(false)
  await stopping.close()
  await vi.advanceTimersByTimeAsync(0)
  expect(isSettled).toBe(true)
})

test('who waits for several peers, or several times, waits for each of them each time', async () => {
  const wire = newWire()
  const one = join(wire)
  const finishers: (() => void)[] = []
  const busy = () => new Promise<void>((resolve) => finishers.push(resolve))
  joinPeers(wire.open(), busy)
  joinPeers(wire.open(), busy)
  await vi.advanceTimersByTimeAsync(0)
  const settled: string[] = []
  for (const house_id of ['1', '2']) {
    const joined: HearthEvent = { type: 'member_joined', house_id, user_id: '2' }
    void one.peers.publish([joined]).then(() => settled.push(house_id))
    await vi.advanceTimersByTimeAsync(0)
  }
  const finishNext = async () => {
    finishers.shift()!()
    await vi.advanceTimersByTimeAsync(0)
    return [...settled]
  }
  expect(await finishNext()).toEqual([])
  expect(await finishNext()).toEqual(['1'])
  expect(await finishNext()).toEqual(['1'])
  expect(await finishNext()).toEqual(['1', '2'])
})

test('what a peer tells another process that it has dealt with is not taken for an answer to this one', async () => {
  const wire = newWire()
  const one = join(wire)
  const there = wire.open()
  there.listen(() => {})
  const say = (message: object) => there.send(JSON.stringify([{ from: 'there', count: 0, ...message }]))
  await say({ type: 'alive' })
  await vi.advanceTimersByTimeAsync(0)
  let isSettled = false
  const publish = () => one.peers.publish([{ type: 'member_joined', house_id: '1', user_id: '2' }])
  void publish().then(() => {
    isSettled = true
  })
  await vi.advanceTimersByTimeAsync(0)
  const sent = JSON.parse(wire.sent.at(-1)!)[0]
  await say({ type: 'acknowledged', to: 'another', number: sent.acknowledge })
  await vi.advanceTimersByTimeAsync(0)
  expect(isSettled).toBe(false)
  await say({ type: 'acknowledged', to: sent.from, number: sent.acknowledge })
  await vi.advanceTimersByTimeAsync(0)
  expect(isSettled).toBe(true)
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
  'whoever is online at a process alone is offline once it %s',
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
    expect(here.delivered).toEqual(offline)
    expect(usersElsewhere()).toEqual([])
  },
)

test('a text that cannot be sent for five seconds is given up, counts as lost, and holds nothing else up', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  wire.failures = Number.POSITIVE_INFINITY
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(5_500)
  wire.failures = 0
  await vi.advanceTimersByTimeAsync(5_000)
  expect(other.delivered).toEqual([lost])
  await one.peers.publish([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect(other.delivered).toEqual([lost, happened])
})

test('a second loss is noticed like the first one', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  for (const losses of [1, 2]) {
    wire.isCut = true
    await one.peers.publish([happened])
    await vi.advanceTimersByTimeAsync(0)
    wire.isCut = false
    await vi.advanceTimersByTimeAsync(8_000)
    expect(other.delivered).toEqual(Array(losses).fill(lost))
  }
})

test('what comes in another order is no loss, and counts once', async () => {
  const wire = newWire()
  const here = join(wire)
  const event = (n: number): HearthEvent => ({ ...happened, timestamp: n }) as HearthEvent
  const come = async (count: number) => {
    wire.send(JSON.stringify([{ from: 'there', count, type: 'events', events: [event(count)] }]))
    await vi.advanceTimersByTimeAsync(100)
  }
  for (const count of [1, 4, 3, 4, 3, 2, 2, 6, 5]) await come(count)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(here.delivered).toEqual([1, 4, 3, 2, 6, 5].map(event))
  here.delivered.splice(0)
  for (const count of [8, 10]) {
    await come(count)
    await vi.advanceTimersByTimeAsync(2_000)
  }
  expect(here.delivered).toEqual([event(8), lost, event(10), lost])
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
