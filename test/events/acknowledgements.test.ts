import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { joinPeers } from '../../src/events/peers.ts'
import { happened, join, newWire } from '../support/peers-wire.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
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
