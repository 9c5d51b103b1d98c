import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Payload, payload, textFrame, zlibFrame } from '../../src/gateway/frames.ts'

test('a zlib frame is a complete zlib stream of the very text frame, whatever it says', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.anything({ maxDepth: 3 }), (seq, d) => {
      const event = payload('ROLE_DELETE', { d: JSON.stringify(d) })
      for (const number of [seq, seq + 1]) {
        expect(inflateSync(zlibFrame(number, event)).toString()).toBe(textFrame(number, event))
      }
    }),
  )
})

test('a zlib frame of a megabyte is a complete zlib stream of the text frame, too', () => {
  const event = payload('ROLE_DELETE', { text: 'ä💬'.repeat(200_000) })
  expect(inflateSync(zlibFrame(7, event)).toString()).toBe(textFrame(7, event))
})

test('of an event that shares its parts with others no compressed form is kept', () => {
  const { name, json } = payload('HOUSE_UPDATE', { name: 'Den' })
  const event: Payload = { name, json, length: json.length, ownLength: 1 }
  expect(inflateSync(zlibFrame(7, event)).toString()).toBe(textFrame(7, event))
  expect(event.deflatedEnd).toBeUndefined()
})
