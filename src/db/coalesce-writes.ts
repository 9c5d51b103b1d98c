import { isUndone } from './away.ts'
import { noteBatch } from './batches.ts'

const maxBatchSize = 500

type Waiting<Item, Result> = {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Tells those who wait what became of their items. */
type Settle = () => Promise<void>

/**
 * Makes of a write for many items a write of one, which shares its statement with every other write waiting at the
 * same moment. One batch is on its way at a time and what arrives meanwhile waits for the next: items are written in the
 * order they came, and two half batches would cost the database much more than a whole one. `write` is all or nothing
 * and answers one result per item, in order; when it fails, its items are written one by one, so that one bad item
 * fails alone. `announce` then hears of the results, before those who wait, batch by batch.
 */
export function coalesceWrites<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  announce: (results: readonly Result[]) => Promise<void>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let isBusy = false
  let settled = Promise.resolve()

  function schedule(): void {
    if (isBusy) return
    isBusy = true
    setImmediate(sendWaiting)
  }

  /** Sends what waits, and then what came meanwhile; the next batch leaves before those of the last are told. */
  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatchSize)
      noteBatch('write', batch.length)
      const sent = send(batch)
      settled = Promise.all([sent, settled]).then(([settle]) => settle())
      await sent
    }
    isBusy = false
  }

  async function send(batch: Waiting<Item, Result>[]): Promise<Settle> {
    try {
      const results = await write(batch.map((one) => one.item))
      return () => settle(batch, results)
    } catch (error) {
      if (batch.length > 1 && isUndone(error)) return sendOneByOne(batch)
      return async () => {
        for (const one of batch) one.reject(error)
      }
    }
  }

  async function sendOneByOne(batch: Waiting<Item, Result>[]): Promise<Settle> {
    const settles: Settle[] = []
    for (const one of batch) settles.push(await send([one]))
    return async () => {
      for (const settle of settles) await settle()
    }
  }

  /** Never fails: what is written must not be written again. */
  async function settle(batch: Waiting<Item, Result>[], results: readonly Result[]): Promise<void> {
    try {
      await announce(results)
      for (const [index, one] of batch.entries()) one.resolve(results[index]!)
    } catch (error) {
      for (const one of batch) one.reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
