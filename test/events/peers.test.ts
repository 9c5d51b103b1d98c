import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { joinPeers, type PeerSettings, wordsInPassing } from '../../src/events/peers.ts'
import type { Relay } from '../../src/events/relay.ts'

const happened: HearthEvent = { type: 'house_deleted', house_id: '1' }

/** A wire between processes of this test; one that is cut carries nothing. */
function newWire() {
  const receivers = new Map<object, (text: string) => void>()
  const said: string[] = []
  const wire = { isCut: false, said, send, open }

  function send(text: string, sender?: object): void {
    said.push(text)
    if (!wire.isCut) for (const [one, receive] of receivers) if (one !== sender) receive(text)
  }

  function open(): Relay {
    const self = {}
    return {
      send: async (text) => send(text, self),
      listen: (receive) => receivers.set(self, receive),
      close: async () => void receivers.delete(self),
    }
  }
  return wire
}

type Wire = ReturnType<typeof newWire>

function join(wire: Wire, settings: Partial<PeerSettings> = {}) {
  const heard: HearthEvent[] = []
  const peers = joinPeers(wire.open(), async (events) => void heard.push(...events), settings)
  return { peers, heard }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a process alone sends nothing of what happens, and says that it is there now and then', async () => {
  const wire = newWire()
  const { peers } = join(wire)
  await vi.advanceTimersByTimeAsync(0)
  const hello = wire.said.splice(0)
  expect(hello).toHaveLength(1)
  expect(peers.isShared).toBe(false)
  await peers.tell([happened])
  peers.tellPresence('1', 'online')
  await vi.advanceTimersByTimeAsync(29_000)
  expect(wire.said).toEqual([])
  await vi.advanceTimersByTimeAsync(120_000)
  expect(wire.said).toHaveLength(4)
  await peers.close()
  expect(wire.said).toHaveLength(4)
})

test('a process that is one of many tells what happens, heard or not', async () => {
  const wire = newWire()
  const { peers } = join(wire, { isOneOfMany: true })
  expect(peers.isShared).toBe(true)
  await peers.tell([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect(wire.said.join()).toContain('house_deleted')
})

test('two that were started apart hear each other, until one is gone', async () => {
  const wire = newWire()
  const one = join(wire)
  await vi.advanceTimersByTimeAsync(60_000)
  const other = join(wire)
  await vi.advanceTimersByTimeAsync(0)
  await one.peers.tell([happened])
  await other.peers.tell([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect([one.heard, other.heard]).toEqual([[happened], [happened]])
  expect([one.peers.isShared, other.peers.isShared]).toEqual([true, true])
  await other.peers.close()
  wire.said.splice(0)
  await one.peers.tell([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect(wire.said).toEqual([])
})

test('two that lost each other meet again', async () => {
  const wire = newWire()
  const [one, other] = [join(wire), join(wire)]
  await vi.advanceTimersByTimeAsync(0)
  wire.isCut = true
  await vi.advanceTimersByTimeAsync(120_000)
  wire.isCut = false
  await vi.advanceTimersByTimeAsync(31_000)
  await one.peers.tell([happened])
  await other.peers.tell([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect([one.heard, other.heard]).toEqual([[happened], [happened]])
})

test('what is told in passing is heard, and makes nobody a peer', async () => {
  const wire = newWire()
  const one = join(wire)
  await vi.advanceTimersByTimeAsync(0)
  wire.said.splice(0)
  wire.send(wordsInPassing([happened]))
  await vi.advanceTimersByTimeAsync(0)
  expect(one.heard).toEqual([happened])
  await one.peers.tell([happened])
  await vi.advanceTimersByTimeAsync(0)
  expect(wire.said).toHaveLength(1)
})
