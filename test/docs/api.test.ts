import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorTable } from '../../src/errors.ts'
import { contractRoutes, ownRoutes } from './contract-routes.ts'

type Operation = { summary: string; security?: object[]; responses: Record<string, object> }

const docs = join(import.meta.dirname, '../../docs')
const page = await readFile(join(docs, 'api.md'), 'utf8')
const document = JSON.parse(await readFile(join(docs, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}
const described = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
  ),
)
const rows = [...page.matchAll(/^\| `([A-Z]+ \/[^`]*)` *\|(.*)\|$/gm)].map(([, route, rest]) => {
  const [caller, what, success, codes] = rest!.split(' | ').map((cell) => cell.trim())
  return { route: route!, caller: caller!, what: what!, success: success!, codes: codes! }
})

test('docs/api.md lists every described route once, and no other', () => {
  const listed = rows.map(({ route }) => route)
  expect(listed.sort()).toEqual([...described.keys()].sort())
})

test('the routes are those of the contract and our own, whatever their parameters are called', () => {
  const nameless = (route: string) => route.replace(/\{\w+\}|:\w+/g, '{}')
  const wanted = [...contractRoutes, ...ownRoutes].map(nameless)
  expect([...described.keys()].map(nameless).sort()).toEqual(wanted.sort())
  const marked = rows.filter(({ what }) => what.includes('not in the contract')).map(({ route }) => route)
  expect(marked).toEqual(ownRoutes)
})

test.each(rows)(
  'docs/api.md says of $route what its description says',
  ({ route, caller, what, success }) => {
    const { summary, security, responses } = described.get(route)!
    expect(what.replace(' (not in the contract)', '')).toBe(summary)
    expect(caller === 'yes').toBe(security !== undefined)
    expect(success === '204').toBe('204' in responses)
  },
)

test('docs/api.md names only codes of the error table', () => {
  const named = rows.flatMap(({ codes }) => [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => code!))
  expect(named.filter((code) => !(code in errorTable))).toEqual([])
})
