import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, house, user } from '../support/world.ts'

type Panel = { title: string; type: string; targets?: { expr: string }[] }
const docs = join(import.meta.dirname, '../../docs')
const dashboard: { panels: Panel[] } = JSON.parse(readFileSync(join(docs, 'grafana-dashboard.json'), 'utf8'))
const metric = /\b(?:hearth|nodejs|process)_[a-z0-9_]+/g

/** The response of /metrics after a request of each kind, and a failed login. */
async function exposition(): Promise<string> {
  const ann = await user()
  const den = await house({ owner: ann })
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' })
  await call(null, 'POST', '/auth/login', { login: 'nobody', password: 'correct horse' })
  return (await call(null, 'GET', '/metrics')).text
}

/** All metric names of /metrics. */
async function givenNames(): Promise<Set<string>> {
  const text = await exposition()
  return new Set([...text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{| )/gm)].map((match) => match[1]!))
}

test('the dashboard uses only metrics of /metrics', async () => {
  const given = await givenNames()
  const asked = dashboard.panels.flatMap(({ title, targets }) =>
    (targets ?? []).flatMap(({ expr }) => (expr.match(metric) ?? []).map((name) => `${title}: ${name}`)),
  )
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter((name) => !given.has(name.split(': ')[1]!))).toEqual([])
})

test('every hearth metric is on the dashboard', async () => {
  const own = [...(await givenNames())].filter((name) => name.startsWith('hearth_'))
  const shown = JSON.stringify(dashboard)
  expect(own.filter((name) => !shown.includes(name.replace(/_(?:bucket|sum|count)$/, '')))).toEqual([])
})

test('docs/operations.md names only metrics of /metrics', async () => {
  const given = await givenNames()
  const page = readFileSync(join(docs, 'operations.md'), 'utf8')
  expect(
    (page.match(metric) ?? []).filter((name) => !given.has(name) && !given.has(`${name}_count`)),
  ).toEqual([])
})

test('the dashboard uses only existing labels and routes', async () => {
  const text = await exposition()
  const labels = new Map<string, Set<string>>()
  for (const [, name, given = ''] of text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{(.*)\})? /gm)) {
    const known = labels.get(name!) ?? labels.set(name!, new Set(['instance'])).get(name!)!
    for (const [, label] of given.matchAll(/(\w+)="/g)) known.add(label!)
  }
  const queries = dashboard.panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr))
  const unknown = queries.filter((expr) => {
    const grouped = [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap((match) => match[1]!.split(', '))
    const chosen = [...expr.matchAll(/(\w+)=~?"/g)].map((match) => match[1]!)
    const names = expr.match(metric) ?? []
    return [...grouped, ...chosen].some((label) => names.some((name) => !labels.get(name)?.has(label)))
  })
  expect(unknown).toEqual([])
  const routes = queries.flatMap((expr) => expr.match(/route="[^"]+"/) ?? [])
  expect(routes).toEqual(['route="/auth/login"'])
  expect(text).toMatch(/^hearth_requests_total\{.*route="\/auth\/login",status="400"\} [1-9]/m)
})
