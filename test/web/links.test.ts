import { expect, test } from 'vitest'
import { safeAddress } from '../../src/web/messages/links.ts'

test('only http, https and mailto can be followed', () => {
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.b',
    '//a.b',
    'x',
    ' javascript:a',
  ]) {
    expect(safeAddress(address)).toBe(undefined)
  }
  for (const address of ['https://a.b/?c=d#e', 'http://a.b/', 'mailto:a@b.c']) {
    expect(safeAddress(address)).toBe(address)
  }
})
