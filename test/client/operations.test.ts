import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paths } from '../../src/client/paths.ts'

type Schema = { $ref?: string; items?: Schema; anyOf?: Schema[]; properties?: { data: Schema } }
type Content = Record<string, { schema: Schema }>
type Operation = {
  operationId: string
  parameters?: { in: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

const root = join(import.meta.dirname, '../..')
const document: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readFileSync(join(root, 'docs/openapi.json'), 'utf8'),
)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
)

test('the client has exactly the operations of the API', () => {
  const described = operations.map(({ operationId, method, path }) => {
    return [operationId, `${method.toUpperCase()} ${path}`]
  })
  expect(paths).toEqual(Object.fromEntries(described))
})

test('the types of each operation are those of the OpenAPI document', () => {
  const described = operations.map((operation) => {
    const { operationId, parameters = [], requestBody, responses } = operation
    const query = parameters.some((each) => each.in === 'query')
    const body = requestBody && typeOf(Object.values(requestBody.content)[0]!.schema)
    return [operationId, { query, body, answer: answerOf(responses) }]
  })
  expect(readTypes()).toEqual(Object.fromEntries(described))
})

/** The name of a schema as a TypeScript type. */
function typeOf({ $ref, items, anyOf }: Schema): string {
  if ($ref) return $ref.split('/').at(-1)!
  if (items) return `${typeOf(items)}[]`
  return anyOf!.map(typeOf).join(' | ')
}

function answerOf(responses: Operation['responses']): string {
  if (responses['204']) return responses['200'] ? `${dataOf(responses)} | undefined` : 'undefined'
  return dataOf(responses)
}

function dataOf(responses: Operation['responses']): string {
  const content = responses['200']?.content
  if (!content) return 'never'
  const json = content['application/json']
  return json ? typeOf(json.schema.properties!.data) : 'Blob'
}

/** The types of each operation in the client's source. */
function readTypes() {
  const source = readFileSync(join(root, 'src/client/operations.ts'), 'utf8')
  const lines = [...source.matchAll(/^ {2}(\w+): \{ (.*answer: .*) \}$/gm)]
  const typed = lines.map(([, name, types]) => {
    const parts = Object.fromEntries(types!.split('; ').map((part) => part.split(': ')))
    return [name, { query: 'query' in parts, body: parts.body, answer: parts.answer }]
  })
  return Object.fromEntries(typed)
}
