import { expect, test } from 'vitest'
import { withScheme } from '../../src/web/settings/website.ts'

test.each([
  ['example.org', 'https://example.org'],
  [' www.example.org/about?x=1#y ', 'https://www.example.org/about?x=1#y'],
  ['example.org:8080', 'https://example.org:8080'],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['käse.example', 'https://käse.example'],
  ['//example.org', 'https://example.org'],
  ['http://example.org', 'http://example.org'],
  ['https://example.org/', 'https://example.org/'],
  ['', ''],
])('%j becomes %j', (typed, address) => {
  expect(withScheme(typed)).toBe(address)
})

test.each([
  'javascript:alert(1)',
  'mailto:ann@example.org',
  'ann@example.org',
  'nothing',
  'two words.example',
  'data:text/html,x',
])('%j is left to be refused', (typed) => {
  expect(withScheme(typed)).toBe(typed)
})
