import { hash, randomBytes } from 'node:crypto'

const tokenBytes = 64

/** A new token: 128 lower-case hex characters. Existing clients refuse any other length. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('hex')
}

/** SHA-256 of a token or code: only this is stored. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** The same as hex, which takes a third of the time: every request needs it. */
export function hashTokenHex(token: string): string {
  return hash('sha256', token, 'hex')
}

/**
 * The token in an `Authorization` header or a gateway login: bare, or after `Bot ` or `Bearer `, for every kind of
 * account (existing clients send the same token with the prefix in one place and bare in the other). Undefined if it
 * cannot be one.
 */
export function readToken(header: string | undefined): string | undefined {
  const token = /^(?:(?:bot|bearer) +)?([0-9a-f]{128})$/i.exec(header ?? '')?.[1]
  // Case matters in the token, but not in the prefix.
  return token === undefined || /[A-F]/.test(token) ? undefined : token
}
