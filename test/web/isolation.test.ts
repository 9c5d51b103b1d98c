import { expect, test } from 'vitest'
import { en } from '../../src/web/texts/en.ts'
import { isolating, listed } from '../../src/web/texts/isolation.ts'

test('names from right to left are isolated in texts, and in lists of names', () => {
  const texts = isolating(en)
  expect(texts.typingTwo('דנה', 'Bob')).toBe('\u2068דנה\u2069 and Bob are typing…')
  expect(texts.movedTo('سلام', 1, 2)).toBe('\u2068سلام\u2069: 1 of 2.')
  expect(texts.edited).toBe(en.edited)
  expect(listed(['Ann', 'דנה'])).toBe('Ann, \u2068דנה\u2069')
})
