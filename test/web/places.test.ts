import { expect, test } from 'vitest'
import { type Place, parsePlace, pathOf } from '../../src/web/places.ts'

const places: [string, Place][] = [
  ['/app/', { name: 'home' }],
  ['/app/houses/12', { name: 'house', houseId: '12' }],
  ['/app/houses/12/rooms/34', { name: 'room', houseId: '12', roomId: '34', message: undefined }],
  ['/app/houses/12/rooms/34?message=56', { name: 'room', houseId: '12', roomId: '34', message: '56' }],
  ['/app/houses/12/settings/roles', { name: 'houseSettings', houseId: '12', section: 'roles' }],
  ['/app/private', { name: 'privateRooms' }],
  ['/app/private/34?message=56', { name: 'private', roomId: '34', message: '56' }],
  ['/app/friends', { name: 'friends' }],
  ['/app/settings/account', { name: 'settings', section: 'account' }],
  ['/app/invite/a%2Fb', { name: 'invite', code: 'a/b' }],
  ['/app/log-in?invite=abc', { name: 'logIn', invite: 'abc' }],
]

function parse(address: string): Place {
  const { pathname, search, hash } = new URL(address, 'http://localhost')
  return parsePlace(pathname, search, hash)
}

test('an address names a place, and the place names the address', () => {
  for (const [address, place] of places) {
    expect(parse(address)).toEqual(place)
    expect(pathOf(place)).toBe(address)
  }
})

test('the link of a mail names the page with its code', () => {
  expect(parse('/app/new-password#code=abc')).toEqual({ name: 'newPassword', code: 'abc' })
  expect(parse('/app/confirm-email#code=abc')).toEqual({ name: 'confirmEmail', code: 'abc' })
  expect(parse('/app/confirm-email')).toEqual({ name: 'confirmEmail', code: undefined })
})

test('a slash at the end changes nothing', () => {
  for (const [address, place] of places.slice(1).filter(([each]) => !each.includes('?'))) {
    expect(parse(`${address}/`)).toEqual(place)
  }
})

test('an address with something that is no id, or of no page, names an unknown place', () => {
  const wrong = [
    '/app/nothing',
    '/app/rooms/abc',
    '/app/houses',
    '/app/houses/abc',
    '/app/houses/%00',
    '/app/houses/0',
    '/app/houses/-1',
    '/app/houses/12/rooms',
    '/app/houses/12/rooms/abc',
    '/app/houses/12/rooms/34/56',
    '/app/houses/12/members',
    '/app/houses/99999999999999999999',
    '/app/houses/12"]',
    '/app/private/%E0%A4%A',
    '/app/friends/12',
    '/app/settings/account/12',
  ]
  expect(wrong.filter((address) => parse(address).name !== 'unknown')).toEqual([])
})

test('a message that is no id is left out', () => {
  expect(parse('/app/private/34?message=abc')).toEqual({ name: 'private', roomId: '34', message: undefined })
})
