import type { Static, TObject } from '@sinclair/typebox'
import Fastify, { type FastifySchemaValidationError } from 'fastify'
import { ajvOptions } from '../http/schemas/validation.ts'
import { CliError } from './command.ts'

/**
 * Checks what was typed against the schema of the route that takes the same. Throws `CliError` for the first wrong
 * field.
 */
export async function checkFields<Schema extends TObject>(
  schema: Schema,
  typed: Record<string, unknown>,
): Promise<Static<Schema>> {
  const app = Fastify({ ajv: ajvOptions })
  app.post('/', { schema: { body: schema }, attachValidation: true }, async (request) => {
    const [wrong] = request.validationError?.validation ?? []
    return { field: wrong?.instancePath.slice(1), reason: wrong && reasonFor(wrong) }
  })
  const reply = await app.inject({ method: 'POST', url: '/', payload: typed })
  await app.close()
  const { field, reason } = reply.json<{ field?: string; reason?: string }>()
  if (reason === undefined) return typed as Static<Schema>
  const wanted = (field && schema.properties[field]?.description) || reason
  throw new CliError(`The ${field} cannot be used: ${wanted}.`)
}

/** The text for an error of a field: the validator's, except where that is not for people. */
function reasonFor({ keyword, params, message }: FastifySchemaValidationError): string {
  if (keyword === 'minLength') return `it has fewer than ${params.limit} characters`
  if (keyword === 'maxLength') return `it has more than ${params.limit} characters`
  return message ?? keyword
}
