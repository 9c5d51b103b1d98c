import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { discardFiles } from '../../src/storage/discard.ts'
import { startErasing } from '../../src/storage/eraser.ts'
import { ownWorld } from '../support/own-world.ts'
import { listDiscarded } from '../support/store.ts'
import { db, store } from '../support/world.ts'

await ownWorld()

beforeEach(async () => {
  await db.deleteFrom('discarded_files').execute()
})

test('the eraser erases what it finds at its start, and more when woken', async () => {
  const names = Array.from({ length: 120 }, (_, i) => `attachments/5/${i}`)
  for (const name of names) await store.write(name, Buffer.from('bytes'))
  await discardFiles(db, names)
  const failures: unknown[] = []
  const eraser = startErasing(db, store, (error) => failures.push(error))
  await expect.poll(listDiscarded).toEqual([])
  await discardFiles(db, ['attachments/5/again'])
  eraser.wake()
  await expect.poll(listDiscarded).toEqual([])
  await eraser.stop()
  expect(failures).toEqual([])
})

test('the eraser finds once a minute what was left to it by others', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const erased: string[] = []
  const noting = { ...store, remove: async (name: string) => void erased.push(name) }
  await discardFiles(db, ['attachments/6/1'])
  const eraser = startErasing(db, noting, () => {})
  await expect.poll(listDiscarded).toEqual([])
  await discardFiles(db, ['attachments/6/2'])
  vi.advanceTimersByTime(60_000)
  await expect.poll(listDiscarded).toEqual([])
  expect(erased).toEqual(['attachments/6/1', 'attachments/6/2'])
  await eraser.stop()
})

test('the eraser says that it failed, and tries again when woken', async () => {
  let isAway = true
  const failing = new Proxy(db, {
    get(target, name) {
      if (isAway) throw new Error('away')
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await discardFiles(db, ['attachments/7/1'])
  const failures: unknown[] = []
  const eraser = startErasing(failing, store, (error) => failures.push(error))
  await expect.poll(() => failures).toEqual([new Error('away')])
  isAway = false
  eraser.wake()
  await expect.poll(listDiscarded).toEqual([])
  await eraser.stop()
  expect(failures).toHaveLength(1)
})

test('an eraser that is stopped finishes what it is erasing, and begins nothing more', async () => {
  const names = Array.from({ length: 120 }, (_, i) => `attachments/8/${i}`)
  await discardFiles(db, names)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const slow = {
    ...store,
    async remove() {
      begin()
      await held
    },
  }
  const eraser = startErasing(db, slow, () => {})
  await begun
  eraser.wake()
  let isStopped = false
  const stopped = eraser.stop().then(() => {
    isStopped = true
  })
  expect(await listDiscarded()).toHaveLength(120)
  expect(isStopped).toBe(false)
  letGo()
  await stopped
  expect(await listDiscarded()).toHaveLength(20)
})
