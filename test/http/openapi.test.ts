import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { documentPath, printDocument } from '../../scripts/openapi.ts'
import { nameSchemas } from '../../src/process/exported-schemas.ts'
import { app } from '../support/world.ts'

type Operation = { operationId?: string; summary?: string; tags?: string[]; responses?: object }

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
  expect(fresh, 'docs/openapi.json is stale: run `npm run docs:openapi` and commit it').toBe(true)
})

/** Calls are refused openly: these two have no success to describe. */
const alwaysRefused = ['post /rooms/{id}/call', 'post /rooms/{id}/call/decline']

test('every operation has an id of its own, a summary, a tag and a described success', () => {
  const lacking = operations.filter(({ at, operationId, summary, tags, responses }) => {
    const success =
      alwaysRefused.includes(at) || Object.keys(responses ?? {}).some((status) => /^[23]/.test(status))
    return !operationId || !summary || !tags?.length || !success
  })
  expect(lacking.map(({ at }) => at)).toEqual([])
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
