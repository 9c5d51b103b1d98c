import { expect, test } from 'vitest'
import { createQueue } from '../src/queue.ts'

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
