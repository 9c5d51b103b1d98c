import { expect, test } from 'vitest'
import { printDocument } from '../../scripts/openapi.ts'
import { casesOf, type Expected, matrix, type Row } from '../support/matrix.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { makeScene, type Scene } from '../support/scenes.ts'
import { type Answer, app, call } from '../support/world.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

test('every route has a row, and every row a route', () => {
  const { paths } = JSON.parse(printDocument(app)) as { paths: Record<string, object> }
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const rows = matrix.map(({ route }) => route)
  const lacking = routes.filter((route) => !rows.includes(route))
  expect(lacking, `test/support/matrix.ts has no row for ${lacking.join(', ')}`).toEqual([])
  const unknown = rows.filter((route) => !routes.includes(route))
  expect(unknown, `test/support/matrix.ts has rows for no route: ${unknown.join(', ')}`).toEqual([])
})

for (const row of matrix) {
  test(`${row.route} answers each caller as the table says: ${title(row)}`, async () => {
    let scene = await makeScene(row.reach, row.needs)
    let isUsedUp = false
    const expected: Record<string, string> = {}
    const answered: Record<string, string> = {}
    for (const [caller, outcome] of casesOf(row)) {
      // A refusal has changed nothing: what follows it in the same scene would notice.
      if (isUsedUp) scene = await makeScene(row.reach, row.needs)
      expected[caller] = say(outcome)
      answered[caller] = told(await ask(row, scene, caller))
      isUsedUp = typeof outcome === 'number' && (row.once ?? row.route.startsWith('DELETE'))
    }
    expect(answered).toEqual(expected)
  })
}

function title({ reach, needs, when }: Row): string {
  return [reach, when, needs && `needs ${needs}`].filter(Boolean).join(', ')
}

/** Sends the request of a row as one of the scene's callers. */
async function ask(row: Row, scene: Scene, name: string): Promise<Answer> {
  const caller = name === 'nobody' ? null : scene.people[name]!
  const params: Record<string, string> = { ...scene.ids, ...(scene.idFor[name] && { id: scene.idFor[name] }) }
  for (const [param, make] of Object.entries(row.at ?? {})) params[param] = await make(scene, caller)
  const [method, path] = row.route.split(' ') as [Method, string]
  const url = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? `no ${param} in the scene`)
  if (row.file) return call(caller, method, url, undefined, multipart(filePart('x')))
  const body = typeof row.body === 'function' ? await row.body(scene, caller) : row.body
  return call(caller, method, url + (row.query ?? ''), body)
}

/** Status and code of what is expected: 404 for what is not found, but for users, else 400 (docs/errors.md). */
function say(outcome: Expected): string {
  if (typeof outcome === 'number') return String(outcome)
  const isMissing = outcome.endsWith('not_found') && outcome !== 'user_not_found'
  return `${isMissing ? 404 : 400} ${outcome}`
}

function told({ status, body }: Answer): string {
  return body?.error ? `${status} ${body.error.code}` : String(status)
}
