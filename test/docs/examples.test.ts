import { writeFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { printDocument } from '../../scripts/generate/openapi.ts'
import { type Examples, examplesPath, readExamples } from '../../src/http/openapi/examples.ts'
import { documentedRoutes } from '../support/documented-routes.ts'
import { accountRecipes } from '../support/examples/account-recipes.ts'
import { administrationRecipes } from '../support/examples/administration-recipes.ts'
import { houseRecipes } from '../support/examples/house-recipes.ts'
import { peopleRecipes } from '../support/examples/people-recipes.ts'
import { follow } from '../support/examples/recipe.ts'
import { messageRecipes, roomRecipes } from '../support/examples/room-recipes.ts'
import { failuresOf } from '../support/json-schema.ts'
import { ownWorld } from '../support/own-world.ts'
import { app, call } from '../support/world.ts'

await ownWorld()

type Media = { schema: object; example?: unknown }
type Operation = {
  operationId: string
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

const recipes = {
  ...accountRecipes,
  ...administrationRecipes,
  ...peopleRecipes,
  ...houseRecipes,
  ...roomRecipes,
  ...messageRecipes,
}
const document = JSON.parse(printDocument(app)) as {
  paths: Record<string, Record<string, Operation>>
  components: object
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase() as 'GET',
    path,
    operation,
  })),
)
const kept = readExamples()
/** Set by `npm run generate examples`: responses are written instead of compared. */
const isRenewing = process.env.GENERATE === 'examples'
const found: Examples = {}

// A renewal skips the tests of stored examples.
const testKept = test.skipIf(isRenewing)

afterAll(async () => {
  if (!isRenewing) return
  const sorted = Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1))
  await writeFile(examplesPath, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
})

test('every operation has a recipe, and every recipe an operation', () => {
  const wanted = operations.map(({ id }) => id)
  expect(Object.keys(recipes).sort(), 'add to test/support/examples/*-recipes.ts').toEqual(wanted.sort())
})

testKept('docs/examples.json has an example of every operation, and no other', () => {
  const wanted = operations.map(({ id }) => id).sort()
  expect(Object.keys(kept), 'run `npm run generate examples` and commit the file').toEqual(wanted)
})

test.each(operations)('the example of $id is the response of the server', async ({ id, method, path }) => {
  const example = await follow(recipes[id]!, method, path)
  if (isRenewing) found[id] = example
  else
    expect(example, 'the example is stale: run `npm run generate examples` and commit it').toEqual(kept[id])
})

testKept.each(operations)(
  'the example of $id is a success as docs/api.md has it, and described by its schemas, to the key',
  ({ id, method, path, operation }) => {
    const { status, body, answer } = kept[id] ?? { status: 0 }
    const { success } = documentedRoutes.find(({ route }) => route === `${method} ${path}`)!
    const described = Object.keys(operation.responses)
    if (described.some((code) => /^20[04]$/.test(code))) expect(status).toBe(success === '204' ? 204 : 200)
    else expect(status).toBeLessThan(500)
    const response = operation.responses[status] ?? operation.responses['4XX']
    expect(Boolean(answer)).toBe(response?.content?.['application/json'] !== undefined)
    const failures = (schema: object, value: unknown) =>
      failuresOf({ ...schema, components: document.components }, value)
    if (answer) expect(failures(response!.content!['application/json']!.schema, answer)).toEqual([])
    expect(Boolean(body)).toBe(operation.requestBody !== undefined)
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
      expect(failures(schema, body)).toEqual([])
    }
    if (answer && status === 200) expectData(answer, method)
  },
)

/** Data is an object or a list; after a change an object with keys. */
function expectData(answer: object, method: string): void {
  expect(Object.keys(answer)).toEqual(['success', 'data'])
  const { data } = answer as { data: object }
  expect(data).toBeTypeOf('object')
  if (method === 'GET') return
  expect(Array.isArray(data)).toBe(false)
  expect(Object.keys(data)).not.toEqual([])
}

testKept('the docs page shows the examples', async () => {
  const page = await call(null, 'GET', '/docs/json')
  const { requestBody, responses } = page.body.paths['/houses'].post
  expect(requestBody.content['application/json'].example).toEqual(kept.createHouse!.body)
  expect(responses['200'].content['application/json'].example).toEqual(kept.createHouse!.answer)
})
