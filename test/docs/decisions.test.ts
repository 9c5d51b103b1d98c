import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { pages, root } from './pages.ts'

const decisions = pages.filter((page) => dirname(page) === 'docs/decisions' && basename(page) !== 'README.md')

test('no two decisions have the same number', () => {
  const numbers = decisions.map((page) => basename(page).slice(0, 4))
  expect(numbers).toEqual([...new Set(numbers)])
})

test.each(decisions)('%s has the format of a decision', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const [number] = /^\d{4}(?=-[a-z0-9-]+\.md$)/.exec(basename(page))!
  expect(text).toMatch(new RegExp(`^# ${Number(number)}\\. [A-Z].*[^.]\n`))
  const headings = [...text.matchAll(/^## (.*)$/gm)].map((match) => match[1])
  expect(headings.slice(0, 3)).toEqual(['Context', 'Decision', 'Consequences'])
  expect(['', 'Rejected']).toContain(headings.slice(3).join())
})
