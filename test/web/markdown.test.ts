import { expect, test } from 'vitest'
import { parseMarkdown, safeAddress } from '../../src/web/messages/markdown.ts'

function typesOf(content: string): string[] {
  return parseMarkdown(content).map(({ type }) => type)
}

test('what is no markdown of messages stays one paragraph', () => {
  for (const text of [
    '# no heading',
    '<b>no HTML</b>',
    'a\n===',
    '| a |\n| - |',
    '    no code',
    '[a]: b',
    '---',
  ]) {
    expect(typesOf(text)).toEqual(['paragraph'])
  }
})

test('what is written below a quote is no part of it', () => {
  expect(typesOf('> said\nanswered')).toEqual(['blockquote', 'paragraph'])
})

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

test('no text takes long, or loses what is in it', () => {
  const parts = [
    '>',
    '> ',
    '- ',
    '- a\n',
    '1. ',
    '*',
    '*a ',
    '**a',
    '_a',
    '[',
    '[a](',
    '`a``',
    '~a~~',
    'a@',
    '\n ',
    '```\n',
  ]
  for (const part of parts) {
    const text = part.repeat(Math.floor(4000 / part.length))
    const raw = parseMarkdown(text).map((token) => token.raw)
    expect(raw.join('').length).toBeGreaterThan(text.length * 0.9)
  }
})
