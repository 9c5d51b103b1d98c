import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventsPath, printEvents } from '../../scripts/generate/events.ts'
import { describeEvents, eventSchemas } from '../../src/gateway/schemas.ts'
import { call } from '../support/world.ts'

test('docs/events.json is up to date (npm run generate events writes it)', async () => {
  expect(await readFile(eventsPath, 'utf8')).toBe(printEvents())
})

test('the docs page links to the schemas of the events', async () => {
  const page = await call(null, 'GET', '/docs/json')
  expect(page.body.info.description).toContain('(/docs/events.json)')
  const answer = await call(null, 'GET', '/docs/events.json')
  expect(answer.body).toEqual(JSON.parse(JSON.stringify(describeEvents())))
})

const page = await readFile(new URL('../../docs/gateway.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|.*\| (.*) \|$/gm)].map(([, name, d]) => ({
  name: name!,
  d: d!,
}))

test('docs/gateway.md names every event once in its table', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(eventSchemas).sort())
})

test.each(rows.filter(({ d }) => d.startsWith('`{')))(
  'docs/gateway.md lists the keys of $name',
  ({ name, d }) => {
    const { properties, required } = eventSchemas[name as 'ROLE_DELETE'] as {
      properties: object
      required: string[]
    }
    const keys = Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`))
    expect(/^`\{(.*?)\}`/.exec(d)![1]!.split(', ').sort()).toEqual(keys.sort())
  },
)
