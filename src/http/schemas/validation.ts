import type { FastifyServerOptions } from 'fastify'
import { isId, unknownId } from '../../ids.ts'

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

/** A bound of a page: an id, or 0, which is smaller than all ids. */
function isPlace(text: string): boolean {
  return text === unknownId || isId(text)
}

/** Unknown fields are dropped, and nothing is coerced. Validation stops at the first error; see field-errors.ts. */
export const ajvOptions: FastifyServerOptions['ajv'] = {
  customOptions: {
    coerceTypes: false,
    removeAdditional: true,
    useDefaults: false,
    allowUnionTypes: true,
    strictTypes: false,
    formats: {
      // replaces the validator's own `email`, which is looser
      mail_address: { type: 'string', validate: isEmail },
      place: { type: 'string', validate: isPlace },
      website: { type: 'string', validate: isWebsite },
    },
  },
}
