import { expect, test } from 'vitest'
import { markWords } from '../../src/web/messages/search/marks.ts'
import {
  filterValue,
  hasFilter,
  setFilter,
  toggleFilter,
  withTimes,
} from '../../src/web/messages/search/search-text.ts'

/** A text with the marked parts in brackets. */
function marked(text: string, q: string): string {
  return markWords(text, q)
    .map((part) => (part.isMarked ? `[${part.text}]` : part.text))
    .join('')
}

test('marks what a search found', () => {
  for (const [text, q, expected] of [
    ['All messages, messy', 'mess', 'All [mess]ages, [mess]y'],
    ['messages mess', '"mess"', 'messages [mess]'],
    ['Café und CAFE\u0301', 'cafe', '[Café] und [CAFE\u0301]'],
    ['Straße', 'strasse', '[Straße]'],
    ['at 192.168.1.1', '192.168', 'at [192.168].1.1'],
    ['red, apples', '"red apples"', '[red, apples]'],
    ['the he', 'he', 'the [he]'],
    ['我昨天从上海回来', '上海', '我昨天从[上海]回来'],
    ['well 🎉 done', '🎉', 'well [🎉] done'],
    ['a 🎉, 🎉 b', '"🎉 🎉 b"', 'a [🎉, 🎉 b]'],
    ['a.b*c', '.*', 'a.b*c'],
    ['plums and pears', 'pears -plums from:plums', 'plums and [pears]'],
    ['ab', 'b', 'ab'],
    ['x', '', 'x'],
    ['', 'x', ''],
  ] as const) {
    expect([q, marked(text, q)]).toEqual([q, expected])
  }
})

test('marks a long text of emoji without reading it again and again', () => {
  const text = '🎉'.repeat(2_000)
  const start = performance.now()
  expect(marked(text, '"🎉 🎉 b"')).toBe(text)
  expect(performance.now() - start).toBeLessThan(2_000)
})

test('writes filters into a search text, and takes them out', () => {
  expect(toggleFilter('see', 'has:link')).toBe('see has:link')
  expect(toggleFilter('see HAS:link has:file', 'has:link')).toBe('see has:file')
  expect(hasFilter('see xhas:link', 'has:link')).toBe(false)
  expect(setFilter('a before:2026-01-01 b', 'before', '2026-02-01')).toBe('a b before:2026-02-01')
  expect(setFilter('a before:2026-01-01 b', 'before', '')).toBe('a b')
  expect(filterValue('a before:2026-01-01', 'before')).toBe('2026-01-01')
})

test('a day of a search begins at midnight where one is', () => {
  const midnight = new Date(2026, 10, 1).toISOString()
  expect(withTimes('a before:2026-11-01 "after:2026-11-01"')).toBe(`a before:${midnight} "after:2026-11-01"`)
  expect(withTimes('after:2026')).toBe('after:2026')
})
