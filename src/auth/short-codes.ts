import { hash, randomInt } from 'node:crypto'
import { normalizeCode } from './codes.ts'

/** Base 32 of Crockford: no I, L, O and U. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const prefixLength = 4
const length = 10

/**
 * A new code that people can type, `7K2QF-M9X4T`. Its first four characters only find the account, so that wrong guesses
 * count for it; the other six (30 bits) are secret.
 */
export function newShortCode(): string {
  const code = Array.from({ length }, () => digits[randomInt(digits.length)]).join('')
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
}

/** The canonical form of a typed short code; undefined if the text cannot be one. */
export function readShortCode(typed: string): string | undefined {
  const code = normalizeCode(typed).toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1')
  const isCode = code.length === length && [...code].every((character) => digits.includes(character))
  return isCode ? code : undefined
}

/** The part of a code, in its canonical form, that finds its account. */
export function prefixOf(shortCode: string): string {
  return shortCode.slice(0, prefixLength)
}

/** The hash of a short code, which holds only together with that of the long one. */
export function hashShortCode(codeHash: Buffer, shortCode: string): Buffer {
  return hash('sha256', Buffer.concat([codeHash, Buffer.from(shortCode)]), 'buffer')
}
