import pg from 'pg'
import { expect, test } from 'vitest'
import { coalesceWrites } from '../../../src/database/batching/coalesce-writes.ts'

/** Writes `bad` items with this failure; gives the batches that were tried. */
async function writeAll(items: string[], failure: Error) {
  const tried: string[][] = []
  const write = coalesceWrites<string, string>(
    async (batch) => {
      tried.push([...batch])
      if (batch.includes('bad')) throw failure
      return batch
    },
    async () => {},
  )
  const results = await Promise.allSettled(items.map((item) => write(item)))
  return { tried, statuses: results.map((result) => result.status) }
}

function refusal(code: string): Error {
  return Object.assign(new pg.DatabaseError('no', 0, 'error'), { code })
}

test('when PostgreSQL refuses a batch its items are written one by one, and the bad one fails alone', async () => {
  const { tried, statuses } = await writeAll(['one', 'bad', 'two'], refusal('23503'))
  expect(tried).toEqual([['one', 'bad', 'two'], ['one'], ['bad'], ['two']])
  expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test.each([
  ['its connection broke', new Error('Connection terminated unexpectedly')],
  ['it was cut off', Object.assign(new Error('read ETIMEDOUT'), { code: 'ETIMEDOUT' })],
  ['something unheard of happened', new Error('what?')],
  ['PostgreSQL is shutting down', refusal('57P01')],
])('a batch is not written again when it may have been written, as %s', async (_why, failure) => {
  const { tried, statuses } = await writeAll(['one', 'bad', 'two'], failure)
  expect(tried).toEqual([['one', 'bad', 'two']])
  expect(statuses).toEqual(['rejected', 'rejected', 'rejected'])
})

test('announces batches in order, and writes the next one meanwhile', async () => {
  const told: string[] = []
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const write = coalesceWrites<string, string>(
    async (batch) => {
      if (batch.includes('second')) second.resolve()
      return batch
    },
    async (batch) => {
      if (batch.includes('first')) await first.promise
      told.push(...batch)
    },
  )
  const writing = [write('first')]
  await new Promise(setImmediate)
  writing.push(write('second'))
  await second.promise
  await new Promise(setImmediate)
  expect(told).toEqual([])
  first.resolve()
  await Promise.all(writing)
  expect(told).toEqual(['first', 'second'])
})

test('announces items that were written one by one before it resolves each', async () => {
  const heard: string[] = []
  const { promise: announced, resolve: goOn } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const write = coalesceWrites<string, string>(
    async (batch) => {
      if (batch.includes('bad')) throw refusal('23503')
      return batch
    },
    async (batch) => {
      begun.resolve()
      await announced
      heard.push(`${batch} announced`)
    },
  )
  const writing = ['one', 'bad', 'two'].map((item) =>
    write(item).then(
      () => heard.push(`${item} written`),
      () => heard.push(`${item} refused`),
    ),
  )
  await begun.promise
  await new Promise(setImmediate)
  expect(heard).toEqual([])
  goOn()
  await Promise.all(writing)
  expect(heard).toEqual(['one announced', 'one written', 'bad refused', 'two announced', 'two written'])
})

test('rejects writes whose announcement fails', async () => {
  const write = coalesceWrites<string, string>(
    async (batch) => batch,
    () => Promise.reject(new Error('nobody listens')),
  )
  const results = await Promise.allSettled(['one', 'two'].map((item) => write(item)))
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected'])
})

test('writes one batch at a time, and collects later items for the next', async () => {
  const batches: string[][] = []
  const first = Promise.withResolvers<void>()
  const write = coalesceWrites<string, string>(
    async (batch) => {
      batches.push([...batch])
      if (batch.includes('one')) await first.promise
      return batch
    },
    async () => {},
  )
  const writing = [write('one')]
  await new Promise(setImmediate)
  for (const item of ['two', 'three']) {
    writing.push(write(item))
    await new Promise(setImmediate)
  }
  expect(batches).toEqual([['one']])
  first.resolve()
  expect(await Promise.all(writing)).toEqual(['one', 'two', 'three'])
  expect(batches).toEqual([['one'], ['two', 'three']])
  expect(await write('four')).toBe('four')
})
