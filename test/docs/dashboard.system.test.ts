import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openRedisRelay } from '../../src/events/redis-relay.ts'
import { newBus } from '../support/bus.ts'
import { otherApp } from '../support/other-app.ts'
import { ownWorld } from '../support/own-world.ts'
import { startRedis } from '../support/redis.ts'
import { house, node, user } from '../support/world.ts'

await ownWorld()

type Panel = { title: string; type: string; gridPos: Place; targets?: { expr: string }[] }
type Place = { x: number; y: number; w: number; h: number }
type Variable = { name: string; query: string }
type Dashboard = { panels: Panel[]; templating: { list: Variable[] } }

const docs = join(import.meta.dirname, '../../docs')
const dashboard: Dashboard = JSON.parse(readFileSync(join(docs, 'grafana-dashboard.json'), 'utf8'))
const operations = readFileSync(join(docs, 'operations.md'), 'utf8')
const metric = /\b(?:hearth|nodejs|process)_[a-z0-9_]+/g
const queries = dashboard.panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr))

// A process that uses Redis shows all metrics; that of the file does not use it.
await node.release()
const redis = await startRedis()
afterAll(() => redis.stop())
const { bus, presences, close } = await newBus(await openRedisRelay(redis.url))
afterAll(close)
const { call } = await otherApp({ rateLimit: true, redisUrl: redis.url }, { bus, presences })
const text = await exposition()
/** The name of each sample, and the metrics they are of. */
const given = new Set([...text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{| )/gm)].map((match) => match[1]!))
const own = [...text.matchAll(/^# TYPE (hearth_\w+) /gm)].map((match) => match[1]!)

/** The response of /metrics after a request of each kind, and a failed login. */
async function exposition(): Promise<string> {
  const ann = await user()
  const den = await house({ owner: ann })
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hello' })
  await call(null, 'POST', '/auth/login', { login: 'nobody', password: 'correct horse' })
  return (await call(null, 'GET', '/metrics')).text
}

test('the dashboard uses only metrics of /metrics', () => {
  const asked = dashboard.panels.flatMap(({ title, targets }) =>
    (targets ?? []).flatMap(({ expr }) => (expr.match(metric) ?? []).map((name) => `${title}: ${name}`)),
  )
  const chosen = dashboard.templating.list.flatMap(({ name, query }) =>
    (query.match(metric) ?? []).map((each) => `$${name}: ${each}`),
  )
  expect(asked.length).toBeGreaterThan(20)
  expect(chosen).toEqual(['$instance: hearth_processes', '$node: hearth_processes'])
  expect([...asked, ...chosen].filter((name) => !given.has(name.split(': ')[1]!))).toEqual([])
})

test('every hearth metric is on the dashboard and in docs/operations.md', () => {
  expect(own.length).toBeGreaterThan(25)
  const shown = JSON.stringify(dashboard)
  expect(own.filter((name) => !shown.includes(name))).toEqual([])
  const rows = operations.match(/^\| `hearth_.*$/gm)!.join('\n')
  expect(own.filter((name) => !new RegExp(`\`${name}[{\`]`).test(rows))).toEqual([])
})

test('docs/operations.md names only metrics of /metrics, with all their labels', () => {
  expect(
    (operations.match(metric) ?? []).filter((name) => !given.has(name) && !given.has(`${name}_count`)),
  ).toEqual([])
  const labels = labelsOf(text)
  const documented = [...operations.matchAll(/`(hearth_\w+)(?:\{([a-z_,]+)\})?`(?=[,;| ])/g)]
  const table = documented.filter((match) => match.index < operations.indexOf('Recommended alerts'))
  for (const [, name, named = ''] of table) {
    const known = [...(labels.get(name!) ?? labels.get(`${name}_count`)!)].filter(
      (label) => label !== 'instance',
    )
    expect([name, named.split(',').filter(Boolean).sort()]).toEqual([name, known.sort()])
  }
})

/** The labels of each metric; Prometheus adds that of the server. */
function labelsOf(text: string): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>()
  for (const [, name, given = ''] of text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{(.*)\})? /gm)) {
    const known = labels.get(name!) ?? labels.set(name!, new Set(['instance'])).get(name!)!
    for (const [, label] of given.matchAll(/(\w+)="/g)) known.add(label!)
  }
  return labels
}

test('the dashboard uses only existing labels and routes', () => {
  const labels = labelsOf(text)
  const unknown = queries.filter((expr) => {
    const grouped = [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap((match) => match[1]!.split(', '))
    const chosen = [...expr.matchAll(/(\w+)=~?"/g)].map((match) => match[1]!)
    const names = (expr.match(metric) ?? []).filter((name) => expr.includes(`${name}{`))
    return [...grouped, ...chosen].some((label) => names.some((name) => !labels.get(name)?.has(label)))
  })
  expect(unknown).toEqual([])
  const routes = new Set(queries.flatMap((expr) => expr.match(/route="[^"]+"/) ?? []))
  expect(routes).toEqual(new Set(['route="/auth/login"', 'route="/rooms/:id/messages"']))
  expect(text).toMatch(/^hearth_requests_total\{.*route="\/auth\/login",status="400"\} [1-9]/m)
  const send = 'method="POST",route="/rooms/:id/messages"'
  expect(text).toMatch(new RegExp(`^hearth_requests_total\\{${send},status="200"\\} [1-9]`, 'm'))
  const kinds = new Set(queries.flatMap((expr) => expr.match(/kind="[^"]+"/) ?? []))
  for (const kind of kinds)
    expect(text).toMatch(new RegExp(`^hearth_batch_size_count\\{${kind}\\} [1-9]`, 'm'))
})

test('the dashboard and docs/operations.md add up no figure that every process shows of the installation', () => {
  const shared = [...text.matchAll(/^# HELP (hearth_\w+) .*: use max$/gm)].map((match) => match[1]!)
  expect(shared.sort()).toEqual([
    'hearth_backup_verified_timestamp_seconds',
    'hearth_database_moves_total',
    'hearth_events_total',
    'hearth_log_entries',
  ])
  for (const name of shared) {
    const all = queries.filter((expr) => expr.includes(name))
    expect(all.length, name).toBeGreaterThan(0)
    for (const expr of all) {
      expect(expr).toMatch(new RegExp(`max(?: by \\(\\w+\\) )?\\((?:(?:rate|increase)\\()?${name}\\b`))
    }
    const [row] = operations.match(new RegExp(`^\\| .*\`${name}[{\`].*$`, 'm'))!
    expect(row, name).toContain('`max`')
  }
})

test('the panels of the dashboard lie beside and below each other', () => {
  const places = dashboard.panels.map(({ gridPos }) => gridPos)
  for (const [index, { x, y, w, h }] of places.entries()) {
    expect(x + w).toBeLessThanOrEqual(24)
    const covered = places
      .slice(index + 1)
      .filter((other) => x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h)
    expect(covered, dashboard.panels[index]!.title).toEqual([])
  }
})
