import Fastify from 'fastify'
import { afterAll } from 'vitest'
import { ajvOptions } from '../../src/http/schemas/validation.ts'

const { customOptions } = ajvOptions!
const app = Fastify({ ajv: { customOptions: { ...customOptions, removeAdditional: false, strict: false } } })
app.post('/', async (request) => {
  const { schema, value } = request.body as { schema: object; value: unknown }
  const validate = request.compileValidationSchema(closed(schema) as object)
  return validate(value) ? [] : (validate.errors ?? [])
})
afterAll(() => app.close())

/** What is wrong with a value, a key that the schema does not name included. */
export async function failuresOf(schema: object, value: unknown): Promise<object[]> {
  return (await app.inject({ method: 'POST', url: '/', payload: { schema, value } })).json()
}

/** The schema with no key more than it names in any object. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]))
  const isOpen = 'type' in schema && 'properties' in schema && !('additionalProperties' in schema)
  return isOpen ? { ...parts, additionalProperties: false } : parts
}
