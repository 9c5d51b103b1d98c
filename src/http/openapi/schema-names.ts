type Json = Record<string, unknown>

/** The parts of a route's schema that describe JSON; the document lists parameters one by one. */
const partsWithNames = ['body', 'response'] as const

/** A copy of a route's schema in which each schema that has a name says it in `title`. */
export function withTitle<Schema extends object>(schema: Schema, names: ReadonlyMap<object, string>): Schema {
  const copy = { ...schema } as Json
  for (const part of partsWithNames) if (copy[part]) copy[part] = withTitles(copy[part], names)
  return copy as Schema
}

function withTitles(value: unknown, names: ReadonlyMap<object, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => withTitles(each, names))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, withTitles(each, names)] as const)
  const title = names.get(value)
  return { ...Object.fromEntries(entries), ...(title !== undefined && { title }) }
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
