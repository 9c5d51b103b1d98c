import { documentOf } from '../schemas/documented.ts'
import { withSharedPattern } from './shared-patterns.ts'

type Json = Record<string, unknown>

const parts = ['body', 'params', 'querystring', 'response'] as const

/**
 * A copy of a route's schema for the API document: `title` is the name of each schema that has one, numbers and booleans
 * that arrive as text have their own type, and patterns are those that other languages share.
 */
export function documentedSchema<Schema extends object>(
  schema: Schema,
  names: ReadonlyMap<object, string>,
): Schema {
  const copy = { ...schema } as Json
  for (const part of parts) if (copy[part]) copy[part] = documented(copy[part], names)
  return copy as Schema
}

function documented(value: unknown, names: ReadonlyMap<object, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => documented(each, names))
  if (typeof value !== 'object' || value === null) return value
  const inDocument = documentOf(value)
  if (inDocument) return inDocument
  const { 'x-cleaned': _, ...rest } = value as Json
  const entries = Object.entries(rest).map(([key, each]) => [key, documented(each, names)] as const)
  const title = names.get(value)
  const copy: Json = { ...Object.fromEntries(entries), ...(title !== undefined && { title }) }
  return withSharedPattern(copy)
}

/** Moves every schema with a title to the components of an OpenAPI document, and leaves a reference in its place. */
export function moveNamedSchemas<Document extends { paths?: object; components?: object }>(
  document: Document,
): Document {
  const schemas: Json = {}
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    const copy: Json = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, moved(each)]))
    const { title, ...schema } = copy
    if (typeof title !== 'string') return copy
    schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
  const paths = moved(document.paths)
  return { ...document, paths, components: { ...document.components, schemas } }
}
