import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Environment, settingNames } from '../../src/config/environment.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8')
const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (.*?) ?\| /gm)].map(([, name, value]) => ({
  name,
  value,
}))

test('docs/settings.md lists exactly the settings of the server', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...settingNames].sort())
})

test('docs/settings.md shows the default of every setting that has one', () => {
  for (const { name, value } of rows) {
    const { default: wanted } = Environment.properties[name as 'HOST'] as { default?: string }
    if (wanted !== undefined) expect(value, name).toBe(`\`${wanted}\``)
  }
})
