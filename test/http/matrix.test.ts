import { expect, test } from 'vitest'
import { printDocument } from '../../scripts/generate/openapi.ts'
import { casesOf, type Expected, matrix, type Row } from '../support/matrix.ts'
import { ask } from '../support/matrix-requests.ts'
import { makeScene, type Scene } from '../support/scenes.ts'
import { type Answer, app } from '../support/world.ts'

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
    let scene = await sceneFor(row)
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

const readScenes = new Map<string, Promise<Scene>>()

/** A scene of its own; that of a GET, which changes nothing, is also for others. */
function sceneFor({ route, reach, needs }: Row): Promise<Scene> {
  if (!route.startsWith('GET ')) return makeScene(reach, needs)
  const key = `${reach} ${needs}`
  const scene = readScenes.get(key) ?? makeScene(reach, needs)
  readScenes.set(key, scene)
  return scene
}

function title({ reach, needs, when }: Row): string {
  return [reach, when, needs && `needs ${needs}`].filter(Boolean).join(', ')
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
