import { setImmediate } from 'node:timers/promises'
import { createFairQueue } from './fair-queue.ts'

/** The most bytes of the list in an answer: 3.5 MiB with the envelope. */
const maxListBytes = 3.5 * 1024 * 1024 - 256

/** The most bytes that are serialized in one turn of the event loop: a millisecond or two. */
const maxBytesOfTurn = 256 * 1024

/**
 * Lists that may be megabytes are read and written by turns, one of each user at a time. So what many requests for them
 * have in memory is bounded, and the event loop is free between them.
 */
export const queueLargeList = createFairQueue({ atOnce: 4, waiting: 1_000 })

/**
 * The JSON of a list whose items are read incrementally: as many as fit into an answer, and one at least, so that
 * paging always advances. The items after them are not read.
 */
export async function encodeList(items: AsyncIterable<unknown>): Promise<Buffer> {
  const written: Buffer[] = []
  let [bytes, turnEnd] = [0, maxBytesOfTurn]
  for await (const item of items) {
    const json = Buffer.from(`${written.length === 0 ? '[' : ','}${JSON.stringify(item)}`)
    if (written.length > 0 && bytes + json.length > maxListBytes) break
    written.push(json)
    bytes += json.length
    if (bytes < turnEnd) continue
    await setImmediate()
    turnEnd = bytes + maxBytesOfTurn
  }
  return Buffer.concat([...written, Buffer.from(written.length === 0 ? '[]' : ']')])
}
