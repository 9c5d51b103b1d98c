import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parts } from '../../scripts/chaos/parts.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/promises.md'), 'utf8')
const promises = page.slice(0, page.indexOf('## Latest figures'))
const rows = [...promises.matchAll(/^\| (?!promise|---)(.+) \| (.+) \|$/gm)]

test('every promise is a sentence and names its tests', () => {
  expect(rows.length).toBeGreaterThan(15)
  for (const [, promise, held] of rows) {
    expect(promise).toMatch(/^[A-Z].*\.$/)
    expect(held).toMatch(/^(?:(?:chaos )?`[^`]+`(?:, )?)+$/)
  }
})

test('the promises name exactly the parts of the chaos run', () => {
  const named = new Set([...promises.matchAll(/chaos `([^`]+)`/g)].map((match) => match[1]!))
  expect([...named].sort()).toEqual(parts.map((part) => part.name).sort())
})

test('the table of figures has exactly one row per part', () => {
  const figures = /<!-- figures -->\n(.*)<!-- \/figures -->/s.exec(page)![1]!
  const named = [...figures.matchAll(/^\| `(\w+)` \| /gm)].map((match) => match[1]!)
  expect(named).toEqual(parts.map((part) => part.name).sort())
})
