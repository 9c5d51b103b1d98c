import { expect, test } from 'vitest'
import { createFairQueue, createQueue } from '../src/queue.ts'

test('two pieces run at once, three wait in order, and the next is refused', async () => {
  const takeTurn = createQueue({ atOnce: 2, waiting: 3 })
  const order: string[] = []
  const gates = new Map<string, () => void>()
  const work = (name: string) =>
    takeTurn(async () => {
      order.push(name)
      await new Promise<void>((resolve) => gates.set(name, resolve))
      return name
    })
  const all = ['a', 'b', 'c', 'd', 'e'].map(work)
  await expect(work('f')).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  expect(order).toEqual(['a', 'b'])
  for (const name of ['b', 'a', 'c', 'd', 'e']) {
    await expect.poll(() => gates.has(name)).toBe(true)
    gates.get(name)!()
  }
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a piece that fails frees its place', async () => {
  const takeTurn = createQueue({ atOnce: 1, waiting: 0 })
  const failing = () => takeTurn(() => Promise.reject(new Error('no')))
  await expect(failing()).rejects.toThrow('no')
  await expect(failing()).rejects.toThrow('no')
})

/** A queue whose pieces run until they are told to end, and the order in which they began. */
function heldQueue(limits: { atOnce: number; waiting: number; waitingOfOne: number }) {
  const takeTurn = createFairQueue(limits)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const start = (owner: string, name: string) =>
    takeTurn(owner, () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const end = (name: string) => ends.get(name)!()
  return { start, end, begun }
}

test('of owners who take turns each has one piece running, and nobody waits behind all of another one', async () => {
  const { start, end, begun } = heldQueue({ atOnce: 2, waiting: 10, waitingOfOne: 5 })
  const all = [
    start('ann', 'a1'),
    start('ann', 'a2'),
    start('ann', 'a3'),
    start('bob', 'b1'),
    start('bob', 'b2'),
  ]
  all.push(start('eve', 'e1'))
  await expect.poll(() => begun).toEqual(['a1', 'b1'])
  for (const [name, next] of [
    ['a1', 'e1'],
    ['b1', 'a2'],
    ['e1', 'b2'],
    ['a2', 'a3'],
  ] as const) {
    end(name)
    await expect.poll(() => begun.at(-1)).toBe(next)
  }
  end('b2')
  end('a3')
  await Promise.all(all)
})

test('an owner has one piece running also when they ask for more while others of theirs wait', async () => {
  const { start, end, begun } = heldQueue({ atOnce: 2, waiting: 10, waitingOfOne: 5 })
  const all = [start('ann', 'a1'), start('ann', 'a2'), start('ann', 'a3')]
  end('a1')
  await all[0]
  all.push(start('ann', 'a4'), start('bob', 'b1'))
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1'])
  end('b1')
  for (const name of ['a2', 'a3', 'a4']) {
    await expect.poll(() => begun).toContain(name)
    end(name)
  }
  await Promise.all(all)
})

test('an owner with too much waiting is refused, and so is everybody when all have too much', async () => {
  const { start, end, begun } = heldQueue({ atOnce: 1, waiting: 3, waitingOfOne: 2 })
  const all = [start('ann', 'a1'), start('ann', 'a2'), start('ann', 'a3')]
  await expect(start('ann', 'a4')).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  all.push(start('bob', 'b1'))
  await expect(start('eve', 'e1')).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  for (const name of ['a1', 'b1', 'a2', 'a3']) {
    await expect.poll(() => begun.at(-1)).toBe(name)
    end(name)
  }
  await Promise.all(all)
  const again = start('ann', 'a5')
  await expect.poll(() => begun.at(-1)).toBe('a5')
  end('a5')
  await again
})
