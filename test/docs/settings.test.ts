import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Environment, settingNames } from '../../src/environment.ts'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const rows = [...readme.matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\| /gm)].map(([, name, value]) => ({
  name,
  value,
}))

test('the README lists every setting that the server reads, and no other', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...settingNames].sort())
})

test('the README shows the default of every setting that has one', () => {
  for (const { name, value } of rows) {
    const { default: wanted } = Environment.properties[name as 'HOST'] as { default?: string }
    if (wanted !== undefined) expect(value, name).toBe(`\`${wanted}\``)
  }
})
