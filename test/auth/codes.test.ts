import { expect, test } from 'vitest'
import { isTotpCode, normalizeCode, normalizeInviteCode } from '../../src/auth/codes.ts'

test.each([
  ['123456', '123456'],
  ['123 456', '123456'],
  [' 123-456\n', '123456'],
  ['123\u00a0456', '123456'],
  ['123\u2011456', '123456'],
  ['123\u2212456', '123456'],
  ['12\u200b34\ufeff56', '123456'],
  ['１２３４５６', '123456'],
  ['١٢٣٤٥٦', '123456'],
  ['०१२३४५', '012345'],
  ['ABCDE-FGH29', 'abcdefgh29'],
  ['ＡＢｃｄｅ　ｆｇｈ２９', 'abcdefgh29'],
  ['', ''],
])('reads the code %j as %j', (typed, code) => {
  expect(normalizeCode(typed)).toBe(code)
})

test('keeps the capitals of a code in which they matter', () => {
  expect(normalizeInviteCode(' aB3-dEf ')).toBe('aB3dEf')
})

test('leaves a text alone that is too long for a code', () => {
  expect(normalizeCode(` ${'A'.repeat(300)}`)).toBe(` ${'a'.repeat(300)}`)
})

test('knows a TOTP code as people type it', () => {
  expect(['123 456', '１２３-４５６', '123456'].every(isTotpCode)).toBe(true)
  expect(['12345', '1234567', '12345a', ''].some(isTotpCode)).toBe(false)
})
