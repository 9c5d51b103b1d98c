import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { documentPath, printDocument } from '../../scripts/generate/openapi.ts'
import { nameSchemas } from '../../src/process/exported-schemas.ts'
import { app } from '../support/world.ts'

type Operation = { operationId?: string; tags?: string[] }

const document = JSON.parse(printDocument(app)) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ at: `${method} ${path}`, ...operation })),
)

test('docs/openapi.json is what the routes say', async () => {
  const kept = await readFile(documentPath, 'utf8').catch(() => '')
  const fresh = kept === printDocument(app)
  expect(fresh, 'docs/openapi.json is stale: run `npm run generate openapi` and commit it').toBe(true)
})

test('every operation has an id of its own, and a tag', () => {
  expect(operations.filter(({ operationId, tags }) => !operationId || !tags?.length)).toEqual([])
  const ids = operations.map(({ operationId }) => operationId)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('every schema of an object has a name', () => {
  const nameless: string[] = []
  const look = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    const isEnvelope = 'properties' in value && 'success' in (value.properties as object)
    if ('properties' in value && !isEnvelope) nameless.push(at)
    for (const [key, each] of Object.entries(value)) if (key !== 'example') look(each, `${at}/${key}`)
  }
  look(document.paths, 'paths')
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const [key, each] of Object.entries(schema)) if (key !== 'properties') look(each, `${name}/${key}`)
    const { properties = {} } = schema as { properties?: object }
    for (const [key, each] of Object.entries(properties)) look(each, `${name}/${key}`)
  }
  expect(nameless, 'export these from their schemas.ts').toEqual([])
})

test('no two schemas have one name', () => {
  const names = [...nameSchemas().values()]
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
})
