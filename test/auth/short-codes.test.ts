import { expect, test } from 'vitest'
import { newShortCode, readShortCode } from '../../src/auth/short-codes.ts'

test.each([
  ['7K2QF-M9X4T', '7K2QFM9X4T'],
  [' 7k2qf m9x4t\n', '7K2QFM9X4T'],
  ['７Ｋ２ＱＦ\u2212Ｍ９Ｘ４Ｔ', '7K2QFM9X4T'],
  ['7K2QF\u200b-M9X4T', '7K2QFM9X4T'],
  ['7K2QF-MOILT', '7K2QFM011T'],
  ['7K2QF-M9X4', undefined],
  ['7K2QF-M9X4U', undefined],
  ['', undefined],
])('reads the short code %j as %j', (typed, code) => {
  expect(readShortCode(typed)).toBe(code)
})

test('reads a new code', () => {
  const code = newShortCode()
  expect(readShortCode(code)).toBe(code.replace('-', ''))
})

test('a text of a hundred thousand marks does not keep the server busy', () => {
  const started = performance.now()
  expect(readShortCode('\u0315\u0301\u0323'.repeat(33_000))).toBeUndefined()
  expect(performance.now() - started).toBeLessThan(2_000)
})
