import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const document = join(import.meta.dirname, '../../../docs/openapi.json')

/** What of JSON Schema our own document uses in bodies. */
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
  description?: string
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** Every operation that docs/openapi.json describes. */
export async function listOperations(): Promise<Operation[]> {
  const { paths } = JSON.parse(await readFile(document, 'utf8')) as {
    paths: Record<string, Record<string, Described>>
  }
  return Object.entries(paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(([method, described]) => {
      const { parameters = [], requestBody, security = [], description = '' } = described
      const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
      return {
        method: method.toUpperCase(),
        path,
        needsCaller: security.length > 0,
        pathParameters: named('path'),
        queryParameters: named('query'),
        body: requestBody?.content['application/json']?.schema,
        takesMultipart: description.includes('multipart/form-data'),
      }
    })
  })
}
