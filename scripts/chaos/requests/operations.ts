import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const document = join(import.meta.dirname, '../../../docs/openapi.json')

/** What of JSON Schema our own document uses in bodies, its references resolved. */
export type Schema = {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  pattern?: string
  format?: string
}

/** One operation of the API document. */
export type Operation = {
  method: string
  /** As in the document: `/houses/{id}`. */
  path: string
  needsCaller: boolean
  pathParameters: string[]
  queryParameters: string[]
  body: Schema | undefined
  takesMultipart: boolean
}

type Described = {
  security?: unknown[]
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Record<string, { schema: unknown }> }
}

/** Every operation that docs/openapi.json describes. */
export async function listOperations(): Promise<Operation[]> {
  const { paths, components } = JSON.parse(await readFile(document, 'utf8')) as {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Record<string, unknown> }
  }
  return Object.entries(paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(([method, described]) => {
      const { parameters = [], requestBody, security = [] } = described
      const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
      return {
        method: method.toUpperCase(),
        path,
        needsCaller: security.length > 0,
        pathParameters: named('path'),
        queryParameters: named('query'),
        body: resolve(requestBody?.content['application/json']?.schema, components.schemas) as
          | Schema
          | undefined,
        takesMultipart: requestBody?.content['multipart/form-data'] !== undefined,
      }
    })
  })
}

/** A schema with what its references name in their place. */
function resolve(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => resolve(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return resolve(schemas[String(value.$ref).split('/').at(-1)!], schemas)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each, schemas)]))
}
