import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorTable } from '../../src/errors.ts'
import { type DocumentedRoute, documentedRoutes } from '../support/documented-routes.ts'
import { needsToken } from '../support/security.ts'

type Schema = {
  $ref?: string
  type?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}
type Operation = {
  summary: string
  security: object[]
  parameters?: { in: string; name: string; required: boolean }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, object>
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const operations = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  ),
)

test('docs/api.md lists exactly the routes of the server', () => {
  const listed = documentedRoutes.map(({ route }) => route)
  expect(listed.sort()).toEqual([...operations.keys()].sort())
})

test.each(documentedRoutes)('docs/api.md describes $route as its schema does', (row) => {
  const { summary, security, responses } = operations.get(row.route)!
  expect(row.summary).toBe(summary)
  expect(row.token).toBe(needsToken(security) ? 'yes' : 'no')
  expect(row.success.endsWith('204')).toBe('204' in responses)
  expect(row.success === '302').toBe('302' in responses)
  expect(row.success === 'never').toBe(!Object.keys(responses).some((status) => /^[23]/.test(status)))
})

test.each(documentedRoutes)('docs/api.md names the fields of $route', (row) => {
  const operation = operations.get(row.route)!
  expect(fieldsOf(row)).toEqual([...queryOf(operation), ...bodyOf(operation)])
})

test.each(documentedRoutes)('docs/api.md names codes of the error table for $route', ({ route, codes }) => {
  expect(codes.filter((code) => !(code in errorTable))).toEqual([])
  const hasFields = [...queryOf(operations.get(route)!), ...bodyOf(operations.get(route)!)].length > 0
  // An attachment or export without the right key answers not_found.
  if (hasFields && !/^GET .(?:attachments|exports)/.test(route)) expect(codes).toContain('invalid_schema')
})

test('the routes that answer more to extended clients take their query, and no others', () => {
  const hasExtension = ({ route, success }: DocumentedRoute) =>
    /^(?:POST .auth.(?:register|login|oidc)|(?:GET|POST) .invites..code.)$/.test(route) ||
    /^GET .houses..id..members/.test(route) ||
    /^(?:list of )?(?:edited )?(?:message|gateway form|\[message\]|\[gateway form\])(?!.*\{)/.test(success) ||
    success.startsWith('as editing')
  const taking = documentedRoutes.filter(({ route }) =>
    operations.get(route)!.parameters?.some((each) => each.name === 'extended'),
  )
  expect(taking).toEqual(documentedRoutes.filter(hasExtension))
})

const paging = ['limit?', 'before?', 'after?', 'around?']

/** The fields of a row: `name`, `name?` where optional, with `int` and `bool`, and with `or null`. */
function fieldsOf({ input }: DocumentedRoute): string[] {
  if (input === 'paging') return paging
  const fields = input.replace(/^query /, '').split('; ')
  return fields
    .filter(Boolean)
    .map((field) => field.replaceAll('`', '').replace(/ (?:picture|emoji|list)\b/, ''))
}

/** `extended` is described beside the tables. */
function queryOf({ parameters = [] }: Operation): string[] {
  const query = parameters.filter((each) => each.in === 'query' && each.name !== 'extended')
  return query.map(({ name, required }) => (required ? name : `${name}?`))
}

function bodyOf({ requestBody }: Operation): string[] {
  const [media] = Object.values(requestBody?.content ?? {})
  const { properties = {}, required = [] } = media ? resolved(media.schema) : {}
  return Object.entries(properties).map(([name, schema]) => {
    const types = [schema, ...(schema.anyOf ?? [])].map((each) => each.type)
    const shown =
      types.includes('integer') || types.includes('number')
        ? ' int'
        : types.includes('boolean')
          ? ' bool'
          : ''
    const isNullable = types.includes('null')
    return `${name}${required.includes(name) ? '' : '?'}${shown}${isNullable ? ' or null' : ''}`
  })
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!
}
