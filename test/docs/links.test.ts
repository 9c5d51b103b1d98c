import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const pages = [
  ...readdirSync(root),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => join('docs', file)),
].filter((file) => file.endsWith('.md'))

function matches(page: string, pattern: RegExp): string[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(pattern)].map((match) => match[1]!)
}

test.each(pages)('%s names only files and scripts that are there', (page) => {
  const linked = matches(page, /\]\((?!https?:)([^)#]+)/g).map((file) => join(dirname(page), file))
  const named = matches(page, /`((?:docs|migrations|scripts|src|test)\/[\w./-]+)`/g)
  expect([...linked, ...named].filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(matches(page, /\bnpm run ([\w:]+)/g).filter((name) => !(name in manifest.scripts))).toEqual([])
})
