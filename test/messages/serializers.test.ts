import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime } from '../../src/messages/serializers.ts'

test('isoTime equals toISOString', () => {
  const times = fc.array(fc.integer({ min: 0, max: Date.UTC(2150, 0) }))
  fc.assert(
    fc.property(times, (all) => {
      expect(all.map(isoTime)).toEqual(all.map((ms) => new Date(ms).toISOString()))
    }),
  )
  const midnight = Date.UTC(2026, 1, 28)
  for (const ms of [midnight - 1, midnight, midnight + 86_399_999, midnight + 86_400_000]) {
    expect(isoTime(ms)).toBe(new Date(ms).toISOString())
  }
})
