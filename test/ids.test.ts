import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { asId, isId } from '../src/ids.ts'

const startMs = Date.UTC(2019, 6, 8)
const maxPerMs = 4096

/** A module of its own, which has made no ids yet: those of the future are made only here. */
function newModule(): Promise<typeof import('../src/ids.ts')> {
  const path = `../src/ids.ts?${randomUUID()}`
  return import(path)
}

/** Stops the clock of the process here. */
function stopClock(nowMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs })
}
afterEach(() => {
  vi.useRealTimers()
})

test('an id holds the time since July 8th 2019, the node number and the place within the millisecond', async () => {
  const { assignNodeNumber, idTimeMs, newId } = await newModule()
  const nowMs = Date.UTC(2031, 4, 6, 7, 8, 9, 10)
  stopClock(nowMs)
  for (const [place, node] of [0, 1, 682, 1023].entries()) {
    assignNodeNumber(node)
    const id = BigInt(newId())
    expect(id >> 22n).toBe(BigInt(nowMs - startMs))
    expect((id >> 12n) & 1023n).toBe(BigInt(node))
    expect(id & 4095n).toBe(BigInt(place))
    expect(idTimeMs(String(id))).toBe(nowMs)
  }
})

test('more ids than a millisecond has places, and those made while the clock is back, go on rising', async () => {
  const { idTimeMs, newId } = await newModule()
  const nowMs = Date.UTC(2032, 0, 1)
  stopClock(nowMs)
  const ids = Array.from({ length: maxPerMs }, newId)
  expect(new Set(ids.map(idTimeMs))).toEqual(new Set([nowMs]))
  ids.push(newId())
  expect(idTimeMs(ids.at(-1)!)).toBe(nowMs + 1)
  stopClock(nowMs - 3_600_000)
  ids.push(newId())
  const sorted = [...ids].sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1))
  expect(ids).toEqual(sorted)
  expect(new Set(ids).size).toBe(maxPerMs + 2)
})

test('ids say how far they are ahead of a clock that was set back', async () => {
  const { idsAheadMs, newId } = await newModule()
  const nowMs = Date.UTC(2033, 0, 1)
  stopClock(nowMs)
  newId()
  expect(idsAheadMs()).toBe(0)
  stopClock(nowMs - 60_000)
  newId()
  expect(idsAheadMs()).toBe(60_000)
})

test('a clock that stands before all ids makes none that is not positive', async () => {
  const { isId, newId } = await newModule()
  stopClock(Date.UTC(2001, 0, 1))
  const [one, other] = [newId(), newId()]
  expect(isId(one)).toBe(true)
  expect(BigInt(other)).toBeGreaterThan(BigInt(one))
})

test('an id is a plain number from 1 to 2^63 − 1; all else is an id that nobody has', () => {
  for (const id of ['1', '1562544000000', '999999999999999999', '9223372036854775807']) {
    expect([id, isId(id), asId(id)]).toEqual([id, true, id])
  }
  const others = [
    '0',
    '01',
    '+1',
    '-1',
    ' 1',
    '1 ',
    '1.0',
    '1e3',
    '0x1',
    '',
    'x',
    '１',
    '9223372036854775808',
  ]
  for (const text of [...others, '10000000000000000000', '1\n']) {
    expect([text, isId(text), asId(text)]).toEqual([text, false, '0'])
  }
})
