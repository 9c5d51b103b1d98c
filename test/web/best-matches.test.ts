import { expect, test } from 'vitest'
import { bestMatches } from '../../src/web/shell/best-matches.ts'

function found(names: string[], query: string, count = 10): string[] {
  return bestMatches(names, (name) => [name], query, count)
}

test('what begins with the query comes first, then words that do', () => {
  expect(found(['abob', 'old-bobs', 'bobby', 'x', 'Bob'], 'bob')).toEqual([
    'Bob',
    'bobby',
    'old-bobs',
    'abob',
  ])
  expect(found(['abob', 'bobby', 'bob'], 'bob', 2)).toEqual(['bob', 'bobby'])
  expect(found(['b', 'a'], '')).toEqual(['b', 'a'])
})

test('finds names without their accents, and by any of several', () => {
  expect(found(['Zoë', 'Jörg'], 'jorg')).toEqual(['Jörg'])
  expect(found(['Zoe'], 'zoë')).toEqual(['Zoe'])
  const people = [{ names: ['ann', 'Zed'] }, { names: ['bob', 'Bo'] }]
  expect(bestMatches(people, ({ names }) => names, 'ze', 5)).toEqual([people[0]])
})
