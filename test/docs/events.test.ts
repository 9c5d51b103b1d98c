import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventsPath, printEvents } from '../../scripts/events.ts'
import { eventSchemas } from '../../src/gateway/schemas.ts'

test('docs/events.json is up to date (npm run docs:events writes it)', async () => {
  expect(await readFile(eventsPath, 'utf8')).toBe(printEvents())
})

test('docs/gateway.md names every event once in its table', async () => {
  const text = await readFile(new URL('../../docs/gateway.md', import.meta.url), 'utf8')
  const named = [...text.matchAll(/^\| `([A-Z_]+)`/gm)].map((row) => row[1]!)
  expect(named.sort()).toEqual(Object.keys(eventSchemas).sort())
})
