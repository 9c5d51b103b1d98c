import { expect, test } from 'vitest'
import { parseMarkdown } from '../../src/markdown/markdown.ts'
import { Steps, type Token } from '../../src/markdown/tokens.ts'
import { randomFrom } from '../support/random.ts'

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

/** The shown text, in one line. */
function shown(token: Token): string {
  const all = (tokens: readonly Token[]) => tokens.map(shown).join('')
  switch (token.type) {
    case 'text':
      return token.tokens ? all(token.tokens) : token.raw
    case 'space':
      return '|'
    case 'literal':
      return token.text
    case 'codespan':
      return `{code ${token.text}}`
    case 'code':
      return `{pre ${token.lang} ${token.text}}`
    case 'list':
      return `{${token.ordered ? token.start : 'list'} ${token.items.map(({ tokens }) => `{${all(tokens)}}`).join('')}}`
    case 'link':
      return `{link ${token.href} ${all(token.tokens)}}`
    case 'mention':
      return `{@${token.id}}`
    case 'paragraph':
      return `{${all(token.tokens)}}`
    default:
      return `{${token.type} ${all(token.tokens)}}`
  }
}

test.each([
  ['**b** *i* ~~s~~ ~s~ `c` <@12>', '{{strong b} {em i} {del s} {del s} {code c} {@12}}'],
  ['*a **b *c** d*', '{*a {em {em b {em c}} d}}'],
  ['***a***', '{{em {strong a}}}'],
  ['**a****b**', '{{strong a****b}}'],
  ['a_b_c 2 * 3 * 4 ~~~a~~~', '{a_b_c 2 * 3 * 4 ~~~a~~~}'],
  ['*a `*` b* \\*c\\*', '{{em a {code *} b} *c*}'],
  ['`a``b` `` c`d ``', '{{code a``b} {code c`d}}'],
  ['[*a*](http://b/(c) "t") [d](<http://e f>)', '{{link http://b/(c) {em a}} {link http://e f d}}'],
  ['[a [b](http://x.y) c](http://z)', '{[a {link http://x.y b} c]({link http://z http://z})}'],
  ['[https://a.b](https://c.d)', '{{link https://c.d https://a.b}}'],
  ['![a](http://b.c) [a](b', '{![a](http://b.c) [a](b}'],
  [
    '**https://a.b?c** (http://d/e_f). www.g.h',
    '{{strong {link https://a.b?c https://a.b?c}} ({link http://d/e_f http://d/e_f}). {link http://www.g.h www.g.h}}',
  ],
  [
    'i.j@k.lm, <n@o.pq> <https://r.s> a@b',
    '{{link mailto:i.j@k.lm i.j@k.lm}, {link mailto:n@o.pq n@o.pq} {link https://r.s https://r.s} a@b}',
  ],
  ['> a\n> > b\nc', '{blockquote {a}{blockquote {b}}}{c}'],
  ['- a\n  - b\n- c\n\nd', '{list {a{list {b}}}{c}}|{d}'],
  ['a\n3. b\n1. c\n2. d', '{a\n3. b}{1 {c}{d}}'],
  ['- a\n\n- b', '{list {{a}}{{b}}}'],
  ['a\n```js x\n*b*\n```\nc', '{a}{pre js x *b*}{c}'],
  ['~~~\na\n\nb', '{pre  a\n\nb}'],
])('%j is read as it is meant', (content, expected) => {
  expect(parseMarkdown(content).map(shown).join('')).toBe(expected)
})

test.each([
  ['¯\\_(ツ)_/¯', '¯\\_(ツ)_/¯'],
  ['¯\\\\_(ツ)_/¯ and ¯\\\\\\_(ツ)\\_/¯', '¯\\_(ツ)_/¯ and ¯\\_(ツ)_/¯'],
  ['src/\\_\\_tests\\_\\_/x \\_/ a\\_/b', 'src/__tests__/x \\_/ a_/b'],
  ['/\\_/\\ \\o/ \\(^_^)/ _/¯\\_', '/\\_/\\ \\o/ \\(^_^)/ _/¯\\_'],
  ['\\\\fileserver\\share\\.git \\\\nas\\#recycle\\_x', '\\\\fileserver\\share\\.git \\\\nas\\#recycle\\_x'],
  ['C:\\Users\\_ann\\[x]\\*.txt', 'C:\\Users\\_ann\\[x]\\*.txt'],
  ['C:\\Program Files (x86)\\_old\\@app', 'C:\\Program Files (x86)\\_old\\@app'],
  ['C:\\\\dir\\\\_x %APPDATA%\\_x ..\\_x .\\@y', 'C:\\\\dir\\\\_x %APPDATA%\\_x ..\\_x .\\@y'],
  ['**C:\\dir\\** (D:\\_a\\)', '{strong C:\\dir\\} (D:\\_a\\)'],
  ['C:\\x, \\*not\\* slanted', 'C:\\x, *not* slanted'],
  ['\\d+\\.\\d+ \\$HOME \\%20 \\"', '\\d+\\.\\d+ \\$HOME \\%20 \\"'],
  ['\\*a\\* \\_b\\_ \\~~c~~ \\`d\\` \\[e](f) \\<@1> \\#g \\@h', '*a* _b_ ~~c~~ `d` [e](f) <@1> #g @h'],
  ['\\:tada: \\:) 1\\. a-\\-b', ':tada: \\:) 1\\. a-\\-b'],
  ['\\- a', '- a'],
  ['1\\. a', '1. a'],
  ['\\\\*a* \\\\\\*b \\\\c', '\\{em a} \\*b \\\\c'],
  ['snake\\_case a\\', 'snake_case a\\'],
])('of the backslashes in %j, those that escape disappear', (content, expected) => {
  expect(parseMarkdown(content).map(shown).join('')).toBe(`{${expected}}`)
})

test.each([
  ['**你好。**世界', '{strong 你好。}世界'],
  ['她说**“你好”**然后走', '她说{strong “你好”}然后走'],
  ['**重要(important)**は', '{strong 重要(important)}は'],
  ['これは**「鍵括弧」**です', 'これは{strong 「鍵括弧」}です'],
  ['~~값(price)~~은 *기울임.*입니다', '{del 값(price)}은 {em 기울임.}입니다'],
  ['太字**𠮷（よし）**𠮷', '太字{strong 𠮷（よし）}𠮷'],
  ['**葛󠄀城(市)**葛󠄀', '{strong 葛󠄀城(市)}葛󠄀'],
  ['a**(b)**c', 'a**(b)**c'],
  ['**hi🎉**there', '{strong hi🎉}there'],
])('emphasis in %j is where the script has it', (content, expected) => {
  expect(parseMarkdown(content).map(shown).join('')).toBe(`{${expected}}`)
})

/** The addresses that a text links to. */
function linksIn(content: string): string[] {
  return [
    ...parseMarkdown(content)
      .map(shown)
      .join('')
      .matchAll(/\{link \S+ ([^}]*)\}/g),
  ].map(([, text]) => text!)
}

test.each([
  ['https://e.org/x。然后', 'https://e.org/x'],
  [
    '看https://e.org/x，「https://e.org/y」（https://e.org/z）',
    'https://e.org/x',
    'https://e.org/y',
    'https://e.org/z',
  ],
  ['https://e.org很好 www.e.org的', 'https://e.org', 'www.e.org'],
  ['看www.e.org！ xwww.e.org', 'www.e.org'],
  [
    'https://zh.wikipedia.org/wiki/北京 https://例え.jp/ジョン・レノン',
    'https://zh.wikipedia.org/wiki/北京',
    'https://例え.jp/ジョン・レノン',
  ],
  ['(https://e.org/a_(b)) [https://e.org/c[1]]', 'https://e.org/a_(b)', 'https://e.org/c[1]'],
  ['https://e.org/a(see b) https://e.org/c]d', 'https://e.org/a', 'https://e.org/c'],
  [
    '"https://e.org/a"b \'https://e.org/c\'d <https://e.org/e>f',
    'https://e.org/a',
    'https://e.org/c',
    'https://e.org/e',
  ],
  [
    '“https://e.org/a” «https://e.org/b» https://e.org/c… https://e.org/d?!',
    'https://e.org/a',
    'https://e.org/b',
    'https://e.org/c',
    'https://e.org/d',
  ],
  ['**https://e.org/a**很好 ~~https://e.org/b~~x', 'https://e.org/a', 'https://e.org/b'],
  ['https://e.org/~ann/*b https://e.org/?a=b&c=d#e', 'https://e.org/~ann/*b', 'https://e.org/?a=b&c=d#e'],
  ['‘https://e.org/w’w https://e.org/l’amour', 'https://e.org/w', 'https://e.org/l’amour'],
  [
    'https://e.org/x؟ https://e.org/y। https://e.org/z\u200bz',
    'https://e.org/x',
    'https://e.org/y',
    'https://e.org/z',
  ],
  ['https://e.org/`x` a@b.cn。', 'https://e.org/', 'a@b.cn'],
])('links in %j end where a reader ends them', (content, ...expected) => {
  expect(linksIn(content)).toEqual(expected)
})

const signs = [
  '*',
  '**',
  '***',
  '_',
  '~',
  '~~',
  '`',
  '``',
  '```',
  '[',
  ']',
  '(',
  ')',
  '](',
  '[a](',
  '<',
  '>',
  '<@1',
  '@',
]
const parts = [
  ...signs,
  ...[
    'a',
    'a@',
    '.',
    '!',
    '\\',
    '"',
    "'",
    ' ',
    '\n',
    '\n\n',
    '\n> ',
    '\n- ',
    '\n  - ',
    '\n1. ',
    '\n```\n',
    '\n    ',
  ],
  ...[
    'http://',
    'https://a',
    'http://a(',
    '。',
    '你',
    'C:\\',
    '\\\\a',
    '.\\_',
    '\\_(',
    '[(',
    '<@1>',
    'www.',
    'h',
    ' "',
    " '",
    '(<',
    '*a_',
    '**a',
    '_a',
    '~a~~',
    '> ',
    '>',
    '- ',
    '- a\n',
    '\n ',
  ],
]
const length = 4_000

/** Texts that repeat one part, two parts or several, and texts whose second half repeats another part. */
function hardTexts(): string[] {
  const random = randomFrom(1)
  const pick = () => random.pick(parts)!
  const pairs = Array.from({ length: 700 }, () => pick() + pick())
  const mixed = Array.from({ length: 300 }, () => {
    return Array.from({ length: 2 + Math.floor(random.number() * 5) }, pick).join('')
  })
  const once = [...parts, ...pairs, ...mixed]
  const repeated = (each: string, most: number) => each.repeat(Math.ceil(most / each.length)).slice(0, most)
  const halves = Array.from({ length: 400 }, () => {
    const [first, second] = [random.pick(once)!, random.pick(once)!]
    return repeated(first, length / 2) + repeated(second, length / 2)
  })
  // Marks that are nested too deep.
  const deep = repeated('`~h', length / 2) + repeated('*~', length / 2)
  return [deep, ...once.map((each) => repeated(each, length)), ...halves]
}

test('reading any of many hard texts takes a few steps for each character, and none is given up', () => {
  let worst = { perCharacter: 0, text: '' }
  for (const text of hardTexts()) {
    const steps = new Steps(text.length)
    parseMarkdown(text, steps)
    const perCharacter = steps.taken / text.length
    if (perCharacter > worst.perCharacter) worst = { perCharacter, text: text.slice(0, 40) }
  }
  expect(worst.perCharacter, JSON.stringify(worst.text)).toBeLessThan(Steps.mostPerCharacter / 2)
})

test('a text that takes too many steps is text', () => {
  const text = '*a_'.repeat(100)
  expect(parseMarkdown(text, new Steps(0))).toEqual([{ type: 'text', raw: text }])
})

test('no text loses what is in it', () => {
  for (const part of parts) {
    const text = part.repeat(Math.floor(length / part.length))
    const raw = parseMarkdown(text).map((token) => ('raw' in token ? token.raw : ''))
    expect(raw.join('').length, part).toBeGreaterThan(text.length * 0.9)
  }
})
