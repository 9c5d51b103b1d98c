import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodedTextFrame,
  payload,
  sharedFrame,
  textFrame,
  zlibFrame,
} from '../../../src/gateway/transport/frames.ts'

test('a zlib frame is a complete zlib stream of the text frame', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.anything({ maxDepth: 3 }), (seq, d) => {
      const event = payload('ROLE_DELETE', { d: JSON.stringify(d) })
      for (const number of [seq, seq + 1]) {
        expect(inflateSync(zlibFrame(number, event)).toString()).toBe(textFrame(number, event))
      }
    }),
  )
})

test('a zlib frame of a megabyte is a complete zlib stream of the text frame', () => {
  const event = payload('ROLE_DELETE', { text: 'ä💬'.repeat(200_000) })
  expect(inflateSync(zlibFrame(7, event)).toString()).toBe(textFrame(7, event))
})

test('a large text frame is encoded once for all receivers', () => {
  const event = payload('ROLE_DELETE', { text: 'ä💬'.repeat(20_000) })
  for (const seq of [7, 1_000]) expect(String(encodedTextFrame(seq, event))).toBe(textFrame(seq, event))
  const { encodedEnd } = event
  encodedTextFrame(8, event)
  expect(encodedEnd).toBeInstanceOf(Buffer)
  expect(event.encodedEnd).toBe(encodedEnd)
})

test('receivers with the same encoding and number share a frame', () => {
  const event = payload('ROLE_DELETE', { text: 'ä' })
  const [text, zlib] = [sharedFrame('text', 7, event), sharedFrame('zlib', 7, event)]
  expect(sharedFrame('text', 7, event)).toBe(text)
  expect(sharedFrame('zlib', 7, event)).toBe(zlib)
  expect(String(sharedFrame('text', 8, event))).toBe(textFrame(8, event))
  expect(inflateSync(sharedFrame('zlib', 8, event)).toString()).toBe(textFrame(8, event))
  expect(String(text)).toBe(textFrame(7, event))
})
