import { noteBatch } from './batches.ts'
import { isDatabaseAway } from './client.ts'

/** While this many batches are on their way, what arrives waits for the next one, which grows. */
const maxBatchesInFlight = 2
const maxBatchSize = 500

type Waiting<Item, Result> = {
  item: Item
  lane: string
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Makes of a write for many items a write of one, which shares its statement with every other write waiting at the
 * same moment. Items of one lane are written in the order they came, never by two batches at once, and hear of it in
 * that order. `write` is all or nothing and answers one result per item, in order; when it fails, its items are
 * written one by one, so that one bad item fails alone. `announce` then hears of the results, before those who wait.
 */
export function coalesceWrites<Item, Result>(
  laneOf: (item: Item) => string,
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  announce: (results: readonly Result[]) => Promise<void>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  const busyLanes = new Set<string>()
  let inFlight = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || inFlight >= maxBatchesInFlight) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const batch = takeBatch()
      if (batch.length === 0) return
      send(batch)
      if (batch.length === maxBatchSize) schedule()
    })
  }

  /** What waits, but for the lanes that are being written. */
  function takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    const later: Waiting<Item, Result>[] = []
    for (const one of waiting) {
      const isNext = batch.length < maxBatchSize && !busyLanes.has(one.lane)
      ;(isNext ? batch : later).push(one)
    }
    waiting = later
    for (const one of batch) busyLanes.add(one.lane)
    return batch
  }

  async function send(batch: Waiting<Item, Result>[]): Promise<void> {
    inFlight += 1
    noteBatch('write', batch.length)
    try {
      const results = await write(batch.map((one) => one.item))
      await settle(batch, results)
    } catch (error) {
      if (batch.length === 1 || isDatabaseAway(error)) for (const one of batch) one.reject(error)
      else for (const one of batch) await sendAlone(one)
    } finally {
      for (const one of batch) busyLanes.delete(one.lane)
      inFlight -= 1
      schedule()
    }
  }

  async function sendAlone(one: Waiting<Item, Result>): Promise<void> {
    try {
      await settle([one], await write([one.item]))
    } catch (error) {
      one.reject(error)
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
      waiting.push({ item, lane: laneOf(item), resolve, reject })
      schedule()
    })
}
