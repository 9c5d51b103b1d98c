import type { FastifyServerOptions } from 'fastify'

/** An absolute http or https address, or nothing. */
function isWebsite(text: string): boolean {
  if (text === '') return true
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** Unknown fields are dropped, nothing is coerced, and every wrong field is found, to be named in the answer. */
export const ajvOptions: FastifyServerOptions['ajv'] = {
  customOptions: {
    coerceTypes: false,
    removeAdditional: true,
    useDefaults: false,
    allErrors: true,
    allowUnionTypes: true,
    strictTypes: false,
    formats: { website: { type: 'string', validate: isWebsite } },
  },
}
