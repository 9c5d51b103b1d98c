import { expect, test } from 'vitest'
import { watchSocket } from '../../src/web/blocked-socket.ts'

const answered = () => Promise.resolve()
const unanswered = () => Promise.reject(new Error('no answer'))
const refused = { greeted: false, reason: '' }

test('two refused attempts in a row, while the server answers otherwise, are a block', async () => {
  const { isBlocked, ended } = watchSocket(answered)
  await ended(refused)
  expect(isBlocked.value).toBe(false)
  await ended(refused)
  expect(isBlocked.value).toBe(true)
})

test('a connection that stays without a hello is a block at once', async () => {
  const { isBlocked, ended } = watchSocket(answered)
  await ended({ greeted: false, reason: 'no hello' })
  expect(isBlocked.value).toBe(true)
})

test('a server that answers nothing is away', async () => {
  const { isBlocked, ended } = watchSocket(unanswered)
  for (let count = 0; count < 3; count += 1) await ended(refused)
  expect(isBlocked.value).toBe(false)
})

test('connections that are lost after their hello are no block, however many', async () => {
  const { isBlocked, ended } = watchSocket(answered)
  for (let count = 0; count < 3; count += 1) {
    await ended(refused)
    await ended({ greeted: true, reason: '' })
  }
  expect(isBlocked.value).toBe(false)
})

test('a hello ends the block, even if the connection is lost before the login', async () => {
  const { isBlocked, ended } = watchSocket(answered)
  await ended({ greeted: false, reason: 'no hello' })
  await ended({ greeted: true, reason: '' })
  expect(isBlocked.value).toBe(false)
})

test('a connection ends the block, also while the server is being asked', async () => {
  let answer = () => {}
  const { isBlocked, ended, connected } = watchSocket(() => new Promise((resolve) => (answer = resolve)))
  await ended(refused)
  const asking = ended(refused)
  connected()
  answer()
  await asking
  expect(isBlocked.value).toBe(false)
})
