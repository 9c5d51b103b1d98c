import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A row of the route tables in docs/api.md, with the cells as they are written. */
export type DocumentedRoute = {
  /** Method and path: `GET /houses/{id}`. */
  route: string
  token: string
  summary: string
  input: string
  success: string
  codes: string[]
}

const page = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8')

export const documentedRoutes: DocumentedRoute[] = [...page.matchAll(/^\| `([A-Z]+ \/[^`]*)` \|(.*)\|$/gm)]
  .map(([, route, cells]) => ({ route: route!, cells: cells!.split('|').map((cell) => cell.trim()) }))
  // The table of bodies names a route, too.
  .filter(({ cells }) => cells.length === 5)
  .map(({ route, cells: [token, summary, input, success, codes] }) => ({
    route,
    token: token!,
    summary: summary!,
    input: input!,
    success: success!,
    codes: [...codes!.matchAll(/`(\w+)`/g)].map(([, code]) => code!),
  }))

/** What every route may answer, and what an address answers that is none although it looks like one. */
const general = ['rate_limit', 'internal_server_error', 'unavailable', 'payload_too_large', 'not_found']
const malformed = 'JSON body is malformed'

const patterns = documentedRoutes.map(({ route, token, codes }) => {
  const [method, path] = route.split(' ') as [string, string]
  return {
    route,
    method,
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    parameters: path.split('{').length,
    codes: new Set([...codes, ...general, ...(token === 'yes' ? ['no_auth'] : [])]),
  }
})

/** A sentence about a failure that docs/api.md does not list for its route; undefined where it does. */
export function undocumentedFailure(
  method: string,
  url: string,
  { code, message }: { code: string; message: string },
): string | undefined {
  const path = url
    .split('?', 1)[0]!
    .replace(/^\/v1(?=\/)/, '')
    .replaceAll('%40', '@')
  const found = patterns
    .filter((each) => each.method === method && each.path.test(path))
    .sort((one, other) => one.parameters - other.parameters)[0]
  if (!found || found.codes.has(code) || message === malformed || message.includes('X-Audit-Reason'))
    return undefined
  return `docs/api.md does not list ${code} for ${found.route}`
}
