import { expect, test } from 'vitest'
import { addressesIn, mentionsIn } from '../../src/markdown/references.ts'
import { randomFrom } from '../support/random.ts'

function idsIn(content: string): string[] {
  for (const { start, end, id } of mentionsIn(content)) {
    expect(content.slice(start, end)).toMatch(new RegExp(`^<@!?${id}>$`))
  }
  return mentionsIn(content).map(({ id }) => id)
}

test.each([
  'x <@1>',
  '<@!1>',
  '**<@1>**',
  '> <@1>',
  '> a\r\n> <@1>',
  '- a\n  - <@1>\n\n    b',
  'line\r\n\r\n<@1>',
  '`a\n\n<@1> b`',
  '` <@1>',
  '``a` <@1>',
  '\\\\<@1>',
  '[<@1>](https://e.org)',
  '你好<@1>。',
  'https://e.org, <@1>',
  'https://e.org,<@1>',
  '```a``` <@1>',
  '~~~\na\n~~~\n<@1>',
])('%j mentions a user', (content) => {
  expect(idsIn(content)).toEqual(['1'])
})

test.each([
  '`<@1>`',
  '`` ` <@1> ``',
  '`a\n<@1>`',
  '```\n<@1>\n```',
  '```\n<@1>',
  '````\n```\n<@1>\n````',
  '~~~\n<@1>\n~~~',
  '~~~~\n~~~\n<@1>',
  '> ```\n> <@1>',
  '- ~~~\n  <@1>',
  '\\<@1>',
  '<@1\\>',
  'https://e.org/<@1>',
  'https://e.org/?to=<@!1>&x',
  '[a](https://e.org/<@1>)',
  '[a](https://e.org "<@1>")',
  '<https://e.org/@1>',
  '<@1',
  '<@x1>',
  '<@99999999999999999999>',
])('%j mentions nobody', (content) => {
  expect(idsIn(content)).toEqual([])
})

test('addresses that stand for themselves are found where they are', () => {
  const content =
    '> a\r\n> https://e.org/a, [b](https://e.org/b) `https://e.org/c`\r\n\r\n- www.e.org https://e.org/d'
  expect(addressesIn(content).map(({ start, end }) => content.slice(start, end))).toEqual([
    'https://e.org/a',
    'www.e.org',
    'https://e.org/d',
  ])
})

test('a text without signs of code, escapes and addresses has the mentions that Markdown has', () => {
  const random = randomFrom(3)
  const parts = [
    '<@1>',
    '<@!2>',
    '<@3',
    '4>',
    '<',
    '@',
    '>',
    '*',
    '_',
    '**',
    '[',
    ']',
    '(',
    ')',
    ' ',
    '\n',
    '\n> ',
    '\n- ',
    'a@b.cn',
    '。',
    '!',
    '你',
    ':',
  ]
  for (let n = 0; n < 2_000; n += 1) {
    const text = Array.from({ length: 12 }, () => random.pick(parts)!).join('')
    // Code at the end changes nothing of what is before it.
    expect(mentionsIn(`${text}\n\n\`\``), text).toEqual(mentionsIn(text))
  }
})
