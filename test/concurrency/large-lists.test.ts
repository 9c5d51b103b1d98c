import { expect, test } from 'vitest'
import { encodeList, queueLargeList } from '../../src/concurrency/large-lists.ts'

const megabyte = 1024 * 1024

/** Gives items, and notes how many were asked for. */
function source(items: readonly unknown[]) {
  const read = { count: 0 }
  async function* give() {
    for (const item of items) {
      read.count += 1
      yield item
    }
  }
  return { read, items: give() }
}

async function write(items: readonly unknown[]): Promise<unknown[]> {
  return JSON.parse((await encodeList(source(items).items)).toString())
}

test('a list is written as the JSON that it is', async () => {
  for (const items of [[], [{ a: 'ü🚀"\\' }], [1, 'two', null, { three: [3] }]]) {
    expect(await write(items)).toEqual(items)
  }
})

test('a list ends before the item that does not fit, and what comes after it is not read', async () => {
  // Each is three bytes in UTF-8.
  const items = Array.from({ length: 10 }, (_, place) => `${place}${'…'.repeat(megabyte / 3)}`)
  const { read, items: given } = source(items)
  const json = await encodeList(given)
  expect(json.length).toBeLessThanOrEqual(3.5 * megabyte)
  expect(JSON.parse(json.toString())).toEqual(items.slice(0, 3))
  expect(read.count).toBe(4)
})

test('a first item that does not fit comes alone', async () => {
  const big = 'x'.repeat(4 * megabyte)
  expect(await write([big, 'next'])).toEqual([big])
})

test('one list of a user is worked on at a time, and four of all', async () => {
  const running = new Map<string, number>()
  const most = new Map<string, number>()
  const work = (names: string[]) => async () => {
    for (const name of names) {
      running.set(name, (running.get(name) ?? 0) + 1)
      most.set(name, Math.max(most.get(name) ?? 0, running.get(name)!))
    }
    await new Promise((resolve) => setImmediate(resolve))
    for (const name of names) running.set(name, running.get(name)! - 1)
  }
  const users = Array.from({ length: 20 }, (_, place) => `user ${place}`)
  await Promise.all([...users, ...users, ...users].map((user) => queueLargeList(user, work([user, 'all']))))
  expect(users.map((user) => most.get(user))).toEqual(users.map(() => 1))
  expect(most.get('all')).toBe(4)
})
