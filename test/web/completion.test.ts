import { expect, test } from 'vitest'
import {
  begunWord,
  withMentionIds,
  withRoomAddresses,
  withUsernames,
} from '../../src/web/messages/completion.ts'

test('finds the word that is begun before the caret', () => {
  expect(begunWord('hi @bo', 6)).toEqual({ trigger: '@', query: 'bo', start: 3, end: 6 })
  expect(begunWord('#', 1)).toEqual({ trigger: '#', query: '', start: 0, end: 1 })
  expect(begunWord(':sm', 3)?.query).toBe('sm')
  for (const text of [
    'mail@bo',
    ':)',
    'http://x',
    '@bob is',
    '12:30',
    'a_@bo',
    'a+@bo',
    'x/@bo',
    '\\@bo',
    'foo():ba',
  ]) {
    expect(begunWord(text, text.length)).toBeUndefined()
  }
})

test('finds it behind words without spaces, quotation marks and colons', () => {
  for (const before of [
    '你好',
    'สวัสดี',
    '안녕',
    '"',
    '“',
    '「',
    'cc:',
    '看：',
    '(',
    '[',
    '**',
    '_',
    '🎉',
    'и—',
    '1.',
  ]) {
    for (const name of ['@bo', '#ge']) {
      const text = before + name
      expect(begunWord(text, text.length), text).toMatchObject({ query: name.slice(1), start: before.length })
    }
  }
  expect(begunWord('好:sm', 4)?.query).toBe('sm')
})

test('completes nothing in code or an address', () => {
  for (const text of [
    '```\n@bo',
    '~~~\n@bo',
    '> ~~~\n> #bo',
    '`@bo` x',
    '`` ` @bo ``',
    'https://e.org/?q=,@bo',
    '```\n:sm',
  ]) {
    const caret = text.search(/(?:bo|sm)/) + 2
    expect(begunWord(text, caret), text).toBeUndefined()
  }
})

test('usernames become mentions and come back', () => {
  const people = [
    { id: '1', username: 'bob' },
    { id: '2', username: 'bob.b' },
  ]
  expect(withMentionIds('@Bob, @bob.b and @bob.', people)).toBe('<@1>, <@2> and <@1>.')
  expect(withMentionIds('mail@bob @nobody', people)).toBe('mail@bob @nobody')
  expect(withMentionIds('你好@bob，"@bob"cc:@bob.b你 _@bob_ @bobé', people)).toBe(
    '你好<@1>，"<@1>"cc:<@2>你 _<@1>_ @bobé',
  )
  expect(withUsernames('<@1> <@9>', { 1: { username: 'bob' } })).toBe('@bob <@9>')
})

test('names of rooms become addresses: the longest that fits, whole words, outside code', () => {
  const rooms = ['dev', 'dev help', 'c++', 'Dev'].map((name, at) => ({
    name,
    address: `/app/houses/${at + 1}`,
  }))
  const sent = (text: string) => withRoomAddresses(text, rooms).replaceAll('/app/houses/', 'a')
  expect(sent('#dev, #DEV help. (#c++) #devs x#dev ##dev')).toBe('a1, a2. (a3) #devs x#dev ##dev')
  expect(sent('#dev `see #dev`\n```\n#dev\n```\n#dev')).toBe('a1 `see #dev`\n```\n#dev\n```\na1')
})

test('behind the name of a room, what would belong to its path is set apart', () => {
  const rooms = [{ name: 'general', address: '/app/houses/1' }]
  const sent = (text: string) => withRoomAddresses(text, rooms)
  expect(sent('看#general。「#general」再看#general吧')).toBe(
    '看/app/houses/1。「/app/houses/1」再看/app/houses/1吧',
  )
  expect(sent('(#general) **#general**! \\#general')).toBe('(/app/houses/1) **/app/houses/1**! \\#general')
  expect(sent('#general?message=5 #general/x')).toBe('/app/houses/1 ?message=5 /app/houses/1 /x')
})

test('in what is code or an address, names stay as they are', () => {
  for (const text of [
    '~~~\n@bob #general\n~~~',
    '`` ` @bob #general ``',
    '```\n@bob',
    '> ```\n> @bob',
    '- a\n  ~~~\n  @bob',
    'https://e.org/(@bob)',
    '[a](https://e.org/#general) \\@bob',
  ]) {
    const rooms = [{ name: 'general', address: 'https://e.org/1' }]
    expect(withRoomAddresses(withMentionIds(text, [{ id: '1', username: 'bob' }]), rooms)).toBe(text)
  }
  expect(withMentionIds('`a\n\nb` @bob', [{ id: '1', username: 'bob' }])).toBe('`a\n\nb` <@1>')
  expect(withUsernames('`<@1>` <@1> \\<@1>', { 1: { username: 'bob' } })).toBe('`<@1>` @bob \\<@1>')
})
