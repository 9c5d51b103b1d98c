import { ECDH } from 'node:crypto'
import type { FastifyServerOptions } from 'fastify'
import { isId, unknownId } from '../../ids.ts'
import { cleanLine, isTooLongToClean } from '../../text.ts'

/** An absolute http or https URL, or ''. It has no white space, which the URL parser would trim or encode. */
function isWebsite(text: string): boolean {
  if (text === '') return true
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}

export const maxEmailLength = 254
const hostLabel = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const emailPattern = new RegExp(`^[^\\s\\p{Cc}\\p{Cs}@]+@${hostLabel}(?:\\.${hostLabel})*$`, 'u')

/** One `@` with something before it and a host name after it. */
export function isEmail(text: string): boolean {
  return [...text].length <= maxEmailLength && emailPattern.test(text)
}

/** An https URL of printable ASCII without a password. Google's earlier push service, which has ended, took no standard key. */
function isPushEndpoint(text: string): boolean {
  if (!/^https:\/\/[!-~]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password, host, pathname } = new URL(text)
  return username === '' && password === '' && !`${host}${pathname}`.startsWith('android.googleapis.com/gcm/')
}

/** An uncompressed point of the curve P-256, in base64url. */
function isPublicKey(text: string): boolean {
  if (!/^[\w-]{87}=?$/.test(text)) return false
  try {
    ECDH.convertKey(Buffer.from(text, 'base64url'), 'prime256v1')
    return true
  } catch {
    return false
  }
}

/** A bound of a page: an id, or 0, which is smaller than all ids. */
function isPlace(text: string): boolean {
  return text === unknownId || isId(text)
}

/**
 * Has the validator replace a text by `cleanLine` of it, before its length and its characters are looked at. A text by
 * itself stays, and so does one that is too long anyway.
 */
const cleanedKeyword = {
  keyword: 'x-cleaned',
  type: 'string',
  schemaType: 'boolean',
  modifying: true,
  before: 'maxLength',
  validate(_isCleaned: boolean, text: string, schema: unknown, place?: Place) {
    if (isTooLongToClean(text, (schema as { maxLength: number }).maxLength)) return true
    if (typeof place?.parentData === 'object') place.parentData[place.parentDataProperty] = cleanLine(text)
    return true
  },
} as const

type Place = { parentData: Record<string | number, unknown> | ''; parentDataProperty: string | number }

/**
 * Unknown fields are dropped, nothing is coerced, and names are cleaned. Validation stops at the first error; see
 * field-errors.ts.
 */
export const ajvOptions: FastifyServerOptions['ajv'] = {
  customOptions: {
    coerceTypes: false,
    removeAdditional: true,
    useDefaults: false,
    allowUnionTypes: true,
    strictTypes: false,
    keywords: [cleanedKeyword],
    formats: {
      // replaces the validator's own `email`, which is looser
      mail_address: { type: 'string', validate: isEmail },
      p256_point: { type: 'string', validate: isPublicKey },
      place: { type: 'string', validate: isPlace },
      push_endpoint: { type: 'string', validate: isPushEndpoint },
      website: { type: 'string', validate: isWebsite },
    },
  },
}
