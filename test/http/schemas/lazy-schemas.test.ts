import Fastify, { type FastifySchemaValidationError } from 'fastify'
import { expect, test } from 'vitest'
import { lazySchemas } from '../../../src/http/schemas/lazy-schemas.ts'
import { ajvOptions } from '../../../src/http/schemas/validation.ts'

/** An app whose only route is compiled by a factory that notes what it was asked for. */
async function listenTo(compiled: string[]) {
  const { buildValidator, buildSerializer } = lazySchemas as Record<
    string,
    (...options: unknown[]) => unknown
  >
  const app = Fastify({
    schemaController: { compilersFactory: { buildValidator, buildSerializer } as never },
  })
  const noted = (name: string, schema: object) =>
    new Proxy(schema, {
      get(target, key, receiver) {
        if (key === 'properties') compiled.push(name)
        return Reflect.get(target, key, receiver)
      },
    })
  const body = noted('body', { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] })
  const answer = noted('answer', { type: 'object', properties: { age: { type: 'integer' } } })
  app.post('/', { schema: { body, response: { 200: answer } } }, async () => ({ age: 3, secret: 'x' }))
  await app.ready()
  return app
}

test('a schema is compiled by the first request, and reused', async () => {
  const compiled: string[] = []
  const app = await listenTo(compiled)
  expect(compiled).not.toContain('answer')
  for (const age of ['old', 3, 'old', 3]) {
    const answer = await app.inject({ method: 'POST', url: '/', payload: { age } })
    if (age === 3) expect(answer.json()).toEqual({ age: 3 })
    else expect(answer.json()).toMatchObject({ statusCode: 400, message: 'body/age must be integer' })
  }
  expect(compiled).toContain('answer')
  const before = compiled.length
  await app.inject({ method: 'POST', url: '/', payload: { age: 3 } })
  expect(compiled).toHaveLength(before)
  await app.close()
})

/** What an app with our validation finds wrong in a body: where, and the name of what is missing. */
async function wrongIn(schema: object, payload: object): Promise<string[]> {
  const app = Fastify({ ajv: ajvOptions, schemaController: { compilersFactory: lazySchemas } })
  const placeOf = ({ instancePath, params }: FastifySchemaValidationError) =>
    instancePath === '' ? params.missingProperty : instancePath
  app.post('/', { schema: { body: schema }, attachValidation: true }, async (request) =>
    request.validationError!.validation.map(placeOf),
  )
  const answer = await app.inject({ method: 'POST', url: '/', payload })
  await app.close()
  return answer.json()
}

test('of a wrong body each field is named once, however much is wrong in it', async () => {
  const name = { type: 'string' }
  const schema = {
    type: 'object',
    properties: {
      name,
      age: { type: 'integer' },
      tags: { type: 'array', items: name },
      people: { type: 'array', items: { type: 'object', properties: { name }, required: ['name'] } },
      toString: name,
    },
    required: ['name', 'toString'],
  }
  const many = Array.from({ length: 10_000 }, () => ({}))
  const wrong = await wrongIn(schema, { age: 'x', tags: many, people: [{ name: 'x' }, ...many] })
  expect(wrong).toEqual(['name', '/age', '/tags/0', '/people/1', 'toString'])
  expect(await wrongIn(schema, { name: 'x', age: 5, tags: [{}], toString: 'x' })).toEqual(['/tags/0'])
})
