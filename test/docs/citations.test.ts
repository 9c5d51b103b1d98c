import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasAnchor, root } from './pages.ts'

const checked = ['docs', 'migrations', 'scripts', 'src', 'test']
const foreign = /\b(?:PROTOCOL|API) (?:part )?\d|\b(?:PROTOCOL|API-SPEC|DESIGN|STYLE|WEB)\.md\b/

function filesIn(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path]
  const files = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
  return files.map((file) => join(path, file)).filter((file) => /\.(?:tsx?|js|md)$/.test(file))
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

test.each(checked)('%s cites no document outside of the repository', (path) => {
  const citing = filesIn(path).filter(
    (file) => !file.endsWith('citations.test.ts') && foreign.test(read(file)),
  )
  expect(citing).toEqual([])
})

test('every page and heading that code cites exists', () => {
  const files = ['src', 'test', 'scripts', 'migrations'].flatMap(filesIn)
  const dead = files.flatMap((file) =>
    [...read(file).matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].flatMap(([cited, page, anchor]) => {
      const exists = existsSync(join(root, page!)) && (anchor === undefined || hasAnchor(page!, anchor))
      return exists ? [] : [`${file}: ${cited}`]
    }),
  )
  expect(dead).toEqual([])
})
