import { expect, test } from 'vitest'
import { parseMarkdown } from '../../src/markdown/markdown.ts'
import { pathAt } from '../../src/web/places.ts'

const hosts = new Set(['chat.example', 'old.example:8080'])

test.each([
  ['https://chat.example/app/houses/1/rooms/2?message=3', '/app/houses/1/rooms/2?message=3'],
  ['http://chat.example/app/invite/abc', '/app/invite/abc'],
  ['https://old.example:8080/v1/attachments/1/2/a.txt?key=3', '/v1/attachments/1/2/a.txt?key=3'],
  ['/app/private/1', '/app/private/1'],
  ['https://chat.example@evil.example/app/', undefined],
  ['https://chat.example.evil.example/app/', undefined],
  ['https://old.example/app/', undefined],
  ['//chat.example/app/', undefined],
  ['javascript://chat.example/app/', undefined],
  ['/other', undefined],
  ['chat.example/app/', undefined],
])('%s leads to %s of the server', (address, path) => {
  expect(pathAt(hosts, address)).toBe(path)
})

test('a path never leads out of the client by going up', () => {
  expect(pathAt(hosts, '/app/../logout')).toBe('/logout')
})

/** The addresses of the links in a text. */
function linksIn(text: string): string[] {
  const links = JSON.stringify(parseMarkdown(text)).matchAll(/"href":"([^"]*)"/g)
  return [...links].map(([, href]) => href!)
}

test('paths of rooms, messages and houses are links wherever they stand in a text', () => {
  const room = '/app/houses/1/rooms/22'
  for (const text of [
    room,
    `see ${room}.`,
    `(${room})`,
    `**${room}**`,
    `cc:${room}`,
    `看${room}。`,
    `"${room}"`,
  ]) {
    expect([text, linksIn(text)]).toEqual([text, [room]])
  }
  expect(linksIn(`${room}?message=3 /app/private/4 /app/houses/5`)).toEqual([
    ...[`${room}?message=3`, '/app/private/4', '/app/houses/5'],
  ])
})

test('other paths, and parts of longer ones, are text', () => {
  for (const text of [
    '/app/friends',
    '/etc/app/houses/1',
    '/app/houses/1/rooms/2/x',
    '/app/houses/01',
    '`/app/houses/1`',
    'x/app/houses/1',
    '/app/houses/12345678901234567890',
  ]) {
    expect([text, linksIn(text)]).toEqual([text, []])
  }
})
