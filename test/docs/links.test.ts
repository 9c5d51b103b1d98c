import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { hasAnchor, pages, root } from './pages.ts'

function matches(page: string, pattern: RegExp): RegExpExecArray[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(pattern)]
}

test.each(pages)('%s names only files and scripts that exist', (page) => {
  const linked = matches(page, /\]\((?!https?:)([^)#]+)/g).map((match) => join(dirname(page), match[1]!))
  const named = matches(page, /`((?:docs|migrations|scripts|src|test)\/[\w./-]+)`/g).map((match) => match[1]!)
  expect([...linked, ...named].filter((file) => !existsSync(join(root, file)))).toEqual([])
  const commands = matches(page, /\bnpm run ([\w:]+)/g).map((match) => match[1]!)
  expect(commands.filter((name) => !(name in manifest.scripts))).toEqual([])
})

test.each(pages)('%s links only to headings that exist', (page) => {
  const links = matches(page, /\]\((?!https?:)([^)#]*)#([^)]+)\)/g)
  const dead = links.filter(([, file, anchor]) => {
    const target = file === '' ? page : normalize(join(dirname(page), file!))
    return target.endsWith('.md') && !hasAnchor(target, anchor!)
  })
  expect(dead.map(([link]) => link)).toEqual([])
})
