import { expect, test } from 'vitest'
import { presenceOf, setPresence, usersAt } from '../../src/events/presence.ts'

test('somebody is online from the first process they come to until they have left the last', () => {
  expect(setPresence('1', 'online', 'there')).toBe(true)
  expect(setPresence('1', 'online', 'there')).toBe(false)
  expect(setPresence('1', 'online')).toBe(false)
  expect([usersAt('there'), usersAt(), usersAt('elsewhere')]).toEqual([['1'], ['1'], []])
  expect(setPresence('1', 'offline', 'there')).toBe(false)
  expect(setPresence('1', 'offline', 'elsewhere')).toBe(false)
  expect([usersAt('there'), presenceOf('1')]).toEqual([[], 'online'])
  expect(setPresence('1', 'offline')).toBe(true)
  expect(setPresence('1', 'offline')).toBe(false)
  expect([usersAt(), presenceOf('1')]).toEqual([[], 'offline'])
})
