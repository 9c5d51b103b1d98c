import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parts } from '../../scripts/fire/parts.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/promises.md'), 'utf8')
const promises = page.slice(0, page.indexOf('## Figures of a run'))
const rows = [...promises.matchAll(/^\| (?!promise|---)(.+) \| (.+) \|$/gm)]

test('every promise is a sentence and names what holds it', () => {
  expect(rows.length).toBeGreaterThan(15)
  for (const [, promise, held] of rows) {
    expect(promise).toMatch(/^[A-Z].*\.$/)
    expect(held).toMatch(/^(?:(?:fire )?`[^`]+`(?:, )?)+$/)
  }
})

test('every part of the fire holds a promise, and no other is named', () => {
  const named = new Set([...promises.matchAll(/fire `([^`]+)`/g)].map((match) => match[1]!))
  expect([...named].sort()).toEqual(parts.map((part) => part.name).sort())
})

test('there is a place for the figures of a run', () => {
  expect(page).toMatch(/<!-- figures -->\n.*<!-- \/figures -->/s)
})
