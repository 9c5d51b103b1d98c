import { expect, test } from 'vitest'
import { createFairQueue } from '../../src/concurrency/fair-queue.ts'

test('a piece that fails frees its place', async () => {
  const takeTurn = createFairQueue({ atOnce: 1, waiting: 0 })
  const failing = () => takeTurn('ann', () => Promise.reject(new Error('no')))
  await expect(failing()).rejects.toThrow('no')
  await expect(failing()).rejects.toThrow('no')
})

/** A queue whose work runs until the test ends it, and the order in which it began. */
function heldQueue(limits: { atOnce: number; waiting: number }) {
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

test('runs one piece of work of each owner at a time, and owners in turn', async () => {
  const { start, end, begun } = heldQueue({ atOnce: 2, waiting: 10 })
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
  const { start, end, begun } = heldQueue({ atOnce: 2, waiting: 10 })
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

const unavailable = { code: 'unavailable', status: 503 }

test('when all places are taken, the owner with the most waiting gives up their latest', async () => {
  const { start, end, begun } = heldQueue({ atOnce: 1, waiting: 4 })
  const kept = [start('ann', 'a1'), start('ann', 'a2'), start('ann', 'a3')]
  const lost = [start('ann', 'a4'), start('ann', 'a5')].map((one) =>
    expect(one).rejects.toMatchObject(unavailable),
  )
  await expect(start('ann', 'a6')).rejects.toMatchObject(unavailable)
  kept.push(start('bob', 'b1'), start('eve', 'e1'))
  await Promise.all(lost)
  // Ann has two places, bob would have two as well.
  await expect(start('bob', 'b2')).rejects.toMatchObject(unavailable)
  for (const name of ['a1', 'b1', 'e1', 'a2', 'a3']) {
    await expect.poll(() => begun.at(-1)).toBe(name)
    end(name)
  }
  await Promise.all(kept)
})

test('accepts work of a refused owner once a place is free', async () => {
  const { start, end, begun } = heldQueue({ atOnce: 1, waiting: 1 })
  const all = [start('ann', 'a1'), start('bob', 'b1')]
  await expect(start('eve', 'e1')).rejects.toMatchObject(unavailable)
  end('a1')
  await expect.poll(() => begun).toContain('b1')
  all.push(start('eve', 'e2'))
  end('b1')
  await expect.poll(() => begun).toEqual(['a1', 'b1', 'e2'])
  end('e2')
  await Promise.all(all)
})
