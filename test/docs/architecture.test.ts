import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const map = /## Map of src\n\n```\nsrc\/\n(.*?)```/s.exec(page)![1]!

test('the map in docs/architecture.md lists exactly the entries of src', () => {
  const named = map.match(/^.*? {2,}/gm)!.flatMap((line) => line.match(/[\w-]+(?:\.ts|\/)/g) ?? [])
  const present = readdirSync(join(root, 'src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  )
  expect(named.sort()).toEqual(present.sort())
})

test('the map has at most twenty lines', () => {
  expect(map.trimEnd().split('\n').length).toBeLessThanOrEqual(20)
})
