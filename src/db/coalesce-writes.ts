import { isUndone } from './away.ts'
import { noteBatch } from './batches.ts'

const maxBatchSize = 500

type Waiting<Item, Result> = {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Resolves the promises of a batch. */
type Settle = () => Promise<void>

/**
 * Turns a write of many items into a write of one item that shares its statement with all writes that wait at the same
 * moment. Only one batch is written at a time, and items that come meanwhile make up the next one: so items are written
 * in the order in which they came, and two half batches would cost the database much more than a whole one. `write` is
 * all or nothing, and returns one result per item, in order. If the database refuses a batch, its items are written one
 * by one, so that one bad item fails alone. `announce` is called with the results, batch by batch, before the promises
 * are resolved.
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

  /**
   * Writes batch after batch until nothing waits. The next one is written while the results of the last are announced.
   */
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

  /** Does not throw: the items are written, and must not be written again. */
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
