import { expect, test } from 'vitest'
import { typedBefore } from '../../src/web/messages/typed-emoji.ts'

/** What becomes an emoji where the text was typed up to its end. */
function typedIn(text: string, isFinished = false): string | undefined {
  const found = typedBefore(text, text.length, isFinished)
  return found && ('name' in found ? found.name : found.emoji)
}

test('a name between colons becomes an emoji with its last colon', () => {
  expect(typedBefore('so :Tada:', 9)).toEqual({ start: 3, end: 9, name: 'tada' })
  expect(typedBefore(':+1: yes', 4)).toEqual({ start: 0, end: 4, name: '+1' })
  for (const text of [
    '(:tada:',
    '🎉:tada:',
    '你好:tada:',
    'สวัสดี:tada:',
    '\n:tada:',
    ':tada::tada:'.slice(0, 6),
  ]) {
    expect(typedIn(text), text).toBe('tada')
  }
  for (const text of ['12:30:', 'a:tada:', 'http://x:80:', '\\:tada:', '::', ': tada:', ':tada', ':tada: ']) {
    expect(typedIn(text), text).toBeUndefined()
  }
})

test('an emoticon becomes an emoji with ")", the space after it, or the message', () => {
  for (const text of [':)', 'hi :-)', '你好:)', '好。:)', ':) ']) expect(typedIn(text), text).toBe('🙂')
  expect(typedBefore('hi :D ', 6)).toEqual({ start: 3, end: 5, emoji: '😃' })
  expect(typedIn(':(\n')).toBe('🙁')
  expect(typedIn('oh >:( ')).toBe('😠')
  expect(typedIn('<3', true)).toBe('❤️')
  for (const text of [':D', ':(', 'see :/', 'a:)', 'http:/ ', '(a :b)', '1<3 ', '8:D ', ':D  ', '\\:) ']) {
    expect(typedIn(text), text).toBeUndefined()
  }
})

test('nothing becomes an emoji in code', () => {
  for (const text of [
    '`:)',
    '`a` `:tada:',
    '``a ` :)',
    '```\n:)',
    '```js\na\n``` no\n:tada:',
    '~~~\n:) ',
    '> ```\n> :)',
  ]) {
    expect(typedIn(text), text).toBeUndefined()
  }
  for (const text of [
    '`a` :)',
    '```\na\n```\n:)',
    '~~~\n```\n~~~\n:)',
    '` a\n\n:)',
    '\\` :)',
    '``` a ``` :)',
  ]) {
    expect(typedIn(text), text).toBe('🙂')
  }
  // Before code is not in it.
  expect(typedBefore(':) `a`', 2)).toMatchObject({ emoji: '🙂' })
})
