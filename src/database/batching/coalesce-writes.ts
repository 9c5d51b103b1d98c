import { isRolledBack } from '../availability/unavailable.ts'
import { recordBatch } from './batches.ts'

const maxBatchSize = 500

type Waiting<Item, Result> = {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Turns a write of many items into a write of one item that shares its statement with all writes that wait at the same
 * moment. One batch is written at a time, and items that come meanwhile make up the next one: so items are written in
 * the order in which they came, and two half batches would cost the database much more than a whole one. `write` is all
 * or nothing, and returns one result per item, in order. If the database refuses a batch, its items are written one by
 * one, so that one bad item fails alone. `announce` is called with the results, batch by batch, before the promises are
 * resolved; the next batch is written meanwhile.
 */
export function coalesceWrites<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  announce: (results: readonly Result[]) => Promise<void>,
): (item: Item) => Promise<Result> {
  type Batch = readonly Waiting<Item, Result>[]
  const waiting: Waiting<Item, Result>[] = []
  let isWriting = false
  let settled = Promise.resolve()

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatchSize)
      recordBatch('write', batch.length)
      await writeBatch(batch)
    }
    isWriting = false
  }

  async function writeBatch(batch: Batch): Promise<void> {
    try {
      const results = await write(batch.map(({ item }) => item))
      settled = settled.then(() => settle(batch, results))
    } catch (error) {
      if (batch.length > 1 && isRolledBack(error)) for (const one of batch) await writeBatch([one])
      else settled = settled.then(() => reject(batch, error))
    }
  }

  /** The items are written, and must not be written again, whatever comes of announcing them. */
  async function settle(batch: Batch, results: readonly Result[]): Promise<void> {
    try {
      await announce(results)
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      reject(batch, error)
    }
  }

  function reject(batch: Batch, error: unknown): void {
    for (const one of batch) one.reject(error)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isWriting) return
      isWriting = true
      setImmediate(writeWaiting)
    })
}
