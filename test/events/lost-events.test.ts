import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { setPresence, usersElsewhere } from '../../src/events/presence.ts'
import { happened, join, lost, newWire } from '../support/peers-wire.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
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
  // What is noticed so far is the silence.
  expect(other.delivered.splice(0)).toEqual([lost])
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
