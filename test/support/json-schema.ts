import Fastify, { type FastifyRequest } from 'fastify'
import { ajvOptions } from '../../src/http/schemas/validation.ts'

const { customOptions } = ajvOptions!
const app = Fastify({ ajv: { customOptions: { ...customOptions, removeAdditional: false, strict: false } } })
// Only a request compiles schemas with these options.
const compile = await new Promise<FastifyRequest['compileValidationSchema']>((resolve, reject) => {
  app.get('/', async (request) => {
    resolve(request.compileValidationSchema.bind(request))
  })
  app.inject('/').catch(reject)
})

/** What is wrong with a value, a key that the schema does not name included. */
export function failuresOf(schema: object, value: unknown): object[] {
  const validate = compile(closed(schema) as object)
  return validate(value) ? [] : (validate.errors ?? [])
}

const closedParts = new WeakMap<object, unknown>()

/** The schema with no key more than it names in any object. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const made = closedParts.get(schema) ?? closedCopy(schema)
  closedParts.set(schema, made)
  return made
}

function closedCopy(schema: object): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]))
  const isOpen = 'type' in schema && 'properties' in schema && !('additionalProperties' in schema)
  return isOpen ? { ...parts, additionalProperties: false } : parts
}
