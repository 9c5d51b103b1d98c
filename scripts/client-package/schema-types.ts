import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { eventSchemas } from '../../src/gateway/schemas.ts'
import { nameSchemas } from '../../src/process/exported-schemas.ts'

type Schema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  description?: string
}

const primitives: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The types that these files import from schemas, and the types that those refer to, in plain TypeScript. */
export async function writeSchemaTypes(files: readonly string[]): Promise<string> {
  const names = nameSchemas()
  const found = new Map<string, Schema>()
  for (const file of files) {
    for (const [name, schema] of await importedSchemas(file)) found.set(name, schema)
  }
  const name = (schema: object): string | undefined => {
    const known = names.get(schema)
    if (known !== undefined) found.set(known, schema)
    return known
  }
  const payloads = Object.entries(eventSchemas).map(
    ([event, schema]) => `  ${event}: ${nameOrText(schema, name)}\n`,
  )
  const types = [`export type EventPayloads = {\n${payloads.join('')}}\n`]
  // The map grows while it is read.
  for (const [typeName, schema] of found) types.push(`export type ${typeName} = ${typeText(schema, name)}\n`)
  return types.sort().join('\n')
}

/** The schemas whose types a file imports, by name. */
async function importedSchemas(file: string): Promise<[string, Schema][]> {
  const statements = (await readFile(file, 'utf8')).matchAll(
    /^import type \{([^}]*)\} from '(\.\.\/[^']*(?:schemas|params)\.ts)'/gm,
  )
  const lists = [...statements].map(async ([, list, path]) => {
    const module = (await import(join(dirname(file), path!))) as Record<string, Schema>
    const wanted = list!.split(',').map((each) => each.trim())
    return wanted.flatMap((each) => (module[each] ? [[each, module[each]] as [string, Schema]] : []))
  })
  return (await Promise.all(lists)).flat()
}

type NameOf = (schema: object) => string | undefined

function nameOrText(schema: Schema, name: NameOf): string {
  return name(schema) ?? typeText(schema, name)
}

function typeText(schema: Schema, name: NameOf): string {
  const { type, anyOf, items, patternProperties } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  if (anyOf) return anyOf.map((each) => nameOrText(each, name)).join(' | ')
  if (items) return `(${nameOrText(items, name)})[]`
  if (patternProperties) {
    return `Record<string, ${Object.values(patternProperties).map((each) => nameOrText(each, name))}>`
  }
  if (schema.properties) return objectText(schema, name)
  return primitives[type ?? ''] ?? 'unknown'
}

function objectText({ properties = {}, required = [] }: Schema, name: NameOf): string {
  const fields = Object.entries(properties).map(([key, value]) => {
    const comment = value.description === undefined ? '' : `  /** ${value.description} */\n`
    return `${comment}  ${key}${required.includes(key) ? '' : '?'}: ${nameOrText(value, name)}\n`
  })
  return `{\n${fields.join('')}}`
}
