import { expect, test } from 'vitest'
import { hiddenTarget, safeAddress } from '../../src/web/messages/links.ts'

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

test.each([
  ['https://bank.example/login', 'https://evil.example/x', 'evil.example/x'],
  ['bank.example', 'https://evil.example/', 'evil.example'],
  ['www.bank.example/login', 'https://evil.example/', 'evil.example'],
  ['go to bank.example now', 'https://evil.example/', 'evil.example'],
  ['HTTPS://BANK.EXAMPLE', 'https://evil.example/', 'evil.example'],
  ['https://e.org/pay', 'https://e.org/steal', 'e.org/steal'],
  ['ann@bank.example', 'mailto:eve@evil.example', 'eve@evil.example'],
  ['ann@bank.example', 'https://evil.example/', 'evil.example'],
  ['evil.example, not bank.example', 'https://evil.example/', 'evil.example'],
  ['看：bank.example', 'https://evil.example/', 'evil.example'],
  ['(bank.example/login)', 'https://evil.example/', 'evil.example'],
  ['bank.rs', 'https://evil.example/', 'evil.example'],
  ['bank.example:443', 'https://evil.example/', 'evil.example'],
  ['192.0.2.1', 'http://198.51.100.1/', '198.51.100.1'],
  ['bank\u200b.example', 'https://evil.example/', 'evil.example'],
  ['ｂａｎｋ。example', 'https://evil.example/', 'evil.example'],
  ['apple.com', 'https://аpple.com/', 'xn--pple-43d.com'],
  ['https://аррӏе.com', 'https://аррӏе.com', 'xn--80ak6aa92e.com'],

  ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', 'evil.example'],
])('%j that leads to %j shows where it goes', (text, href, shown) => {
  expect(hiddenTarget(text, href)).toBe(shown)
})

test.each([
  ['https://e.org', 'https://e.org/'],
  ['http://www.e.org/a/', 'https://e.org/a'],
  ['e.org', 'https://e.org/a?b=c'],
  ['see https://e.org/a.', 'https://e.org/a'],
  ['https://e.org/a/long…', 'https://e.org/a/longer/way'],
  ['the docs', 'https://e.org/'],
  ['README.md', 'https://e.org/blob/main/README.md'],
  ['Node.js 24.1, e.g. 10:30', 'https://e.org/'],
  ['你好。世界', 'https://e.org/'],
  ['https://e.org/a,b;c_(d)', 'https://e.org/a,b;c_(d)'],
  ['ann@e.org', 'mailto:ann@e.org'],
  ['https://münchen.example/', 'https://münchen.example/'],
  ['https://пример.рф', 'https://пример.рф'],
  ['https://例え.jp/x', 'https://例え.jp/x'],
])('%j that leads to %j says so by itself', (text, href) => {
  expect(hiddenTarget(text, href)).toBeUndefined()
})

test('a long address is cut behind the name of its server', () => {
  const shown = hiddenTarget('bank.example', `https://evil.example/${'x'.repeat(500)}`)
  expect(shown).toMatch(/^evil\.example\/x+…$/)
  expect(shown).toHaveLength(80)
})
