import { expect, test } from 'vitest'
import {
  begunWord,
  outsideCode,
  withMentionIds,
  withRoomAddresses,
  withUsernames,
} from '../../src/web/messages/completion.ts'

test('finds the word that is begun before the caret', () => {
  expect(begunWord('hi @bo', 6)).toEqual({ trigger: '@', query: 'bo', start: 3, end: 6 })
  expect(begunWord('#', 1)).toEqual({ trigger: '#', query: '', start: 0, end: 1 })
  expect(begunWord(':sm', 3)?.query).toBe('sm')
  for (const text of ['mail@bo', ':)', 'http://x', '@bob is', '12:30']) {
    expect(begunWord(text, text.length)).toBeUndefined()
  }
})

test('usernames become mentions and come back', () => {
  const people = [
    { id: '1', username: 'bob' },
    { id: '2', username: 'bob.b' },
  ]
  expect(withMentionIds('@Bob, @bob.b and @bob.', people)).toBe('<@1>, <@2> and <@1>.')
  expect(withMentionIds('mail@bob @nobody', people)).toBe('mail@bob @nobody')
  expect(withUsernames('<@1> <@9>', { 1: { username: 'bob' } })).toBe('@bob <@9>')
})

test('names of rooms become addresses: the longest that fits, whole words, outside code', () => {
  const rooms = ['dev', 'dev help', 'c++', 'Dev'].map((name, at) => ({ name, address: `a${at}` }))
  const sent = (text: string) => outsideCode(text, (part) => withRoomAddresses(part, rooms))
  expect(sent('#dev, #DEV help. (#c++) #devs x#dev ##dev')).toBe('a0, a1. (a2) #devs x#dev ##dev')
  expect(sent('#dev `see #dev`\n```\n#dev\n``` #dev')).toBe('a0 `see #dev`\n```\n#dev\n``` a0')
})
