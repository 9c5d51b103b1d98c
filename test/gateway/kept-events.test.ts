import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Payload } from '../../src/gateway/frames.ts'
import { KeptEvents } from '../../src/gateway/kept-events.ts'
import { NumberQueue } from '../../src/gateway/number-queue.ts'

const someNumber = fc.oneof(fc.nat(5), fc.nat(300), fc.integer({ min: 2 ** 31 - 2, max: 2 ** 45 }))
const step = fc.oneof(
  fc.record({ first: someNumber, count: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ take: fc.integer({ min: 1, max: 250 }) }),
)

test('a queue of numbers gives back what was put in, in order, whatever the numbers and the turns are', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new NumberQueue()
      const model: number[] = []
      for (const one of steps) {
        if ('take' in one) {
          for (let n = 0; n < one.take; n += 1) expect(queue.shift()).toBe(model.shift())
        } else {
          for (let n = 0; n < one.count; n += 1) {
            queue.push(one.first + n)
            model.push(one.first + n)
          }
        }
        expect([...queue]).toEqual(model)
        expect(queue.length).toBe(model.length)
      }
    }),
  )
})

function event(json: string): Payload {
  return { name: 'TYPING_START', json }
}

test('each keeps what it was told, in order, though others were told more or other things', () => {
  const [one, other] = [new KeptEvents(), new KeptEvents()]
  const told = Array.from({ length: 50 }, (_none, place) => event(String(place)))
  for (const [place, each] of told.entries()) {
    one.push(each)
    if (place % 3 > 0) other.push(each)
  }
  // Held for a while: told late, and again.
  other.push(told[0]!)
  other.push(told[3]!)
  other.push(told[3]!)
  expect([...one]).toEqual(told)
  const late = [told[0], told[3], told[3]]
  expect([...other]).toEqual([...told.filter((_each, place) => place % 3 > 0), ...late])
  one.clear()
  expect([...one, one.bytes]).toEqual([0])
  for (let count = 0; count < 33; count += 1) other.shift()
  expect([...other]).toEqual(late)
  expect(other.bytes).toBe(3)
})

test('an event is let go with the last who keeps it, and may be kept again', () => {
  const [one, other] = [new KeptEvents(), new KeptEvents()]
  const shared = event('shared')
  one.push(shared)
  other.push(shared)
  one.shift()
  expect(shared.keepers).toBe(1)
  expect([...other]).toEqual([shared])
  other.clear()
  expect(shared.keepers).toBe(0)
  one.push(event('between'))
  one.push(shared)
  expect([...one].map((each) => each.json)).toEqual(['between', 'shared'])
})
