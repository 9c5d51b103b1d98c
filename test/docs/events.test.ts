import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventsPath, printEvents } from '../../scripts/events.ts'
import { describeEvents, eventSchemas } from '../../src/gateway/schemas.ts'
import { call } from '../support/world.ts'

test('docs/events.json is up to date (npm run docs:events writes it)', async () => {
  expect(await readFile(eventsPath, 'utf8')).toBe(printEvents())
})

test('the docs page leads to the schemas of the events', async () => {
  const page = await call(null, 'GET', '/docs/json')
  expect(page.body.info.description).toContain('(/docs/events.json)')
  const answer = await call(null, 'GET', '/docs/events.json')
  expect(answer.body).toEqual(JSON.parse(JSON.stringify(describeEvents())))
})

test('docs/gateway.md names every event once in its table', async () => {
  const text = await readFile(new URL('../../docs/gateway.md', import.meta.url), 'utf8')
  const named = [...text.matchAll(/^\| `([A-Z_]+)`/gm)].map((row) => row[1]!)
  expect(named.sort()).toEqual(Object.keys(eventSchemas).sort())
})

test('docs/gateway.md says of every file of the gateway what it holds, once', async () => {
  const text = await readFile(new URL('../../docs/gateway.md', import.meta.url), 'utf8')
  const table = text.slice(text.indexOf('| file of `src/gateway/`'))
  const cells = [...table.matchAll(/^\| (`[^|]+\.ts`) +\|/gm)].map((row) => row[1]!)
  const named = cells.flatMap((cell) => cell.replaceAll('`', '').split(', '))
  expect(named.sort()).toEqual((await readdir(new URL('../../src/gateway', import.meta.url))).sort())
})
