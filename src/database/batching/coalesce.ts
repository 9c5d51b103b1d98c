import DataLoader from 'dataloader'
import { isWorkerUnavailable } from '../availability/unavailable.ts'
import { type Db, pipelineOf } from '../client.ts'
import { recordBatch } from './batches.ts'
import type { Pipeline } from './pipeline.ts'

/** While this many batches are in flight, the next one waits and grows. */
const maxBatchesInFlight = 2
const maxBatchSize = 500

/**
 * Turns a query for many keys into a read of one key that shares its statement with all reads that wait at the same
 * moment. Nothing is cached: every answer is read after it was asked for. Inside a transaction it runs alone. `load`
 * returns one row, or undefined, for each key, in their order. A batch of `fullAt` keys is sent at once, without
 * waiting for more: worth it where the request needs no other read.
 */
export function coalesce<Key, Row>(
  load: (db: Db, keys: readonly Key[]) => Promise<readonly Row[]>,
  { fullAt = maxBatchSize } = {},
): (db: Db, key: Key) => Promise<Row> {
  const loads = new WeakMap<Db, (key: Key) => Promise<Row>>()

  function open(db: Db, pipeline: Pipeline): (key: Key) => Promise<Row> {
    let inFlight = 0
    let size = 0
    const waiting: (() => void)[] = []
    const loader = new DataLoader<Key, Row>(
      async (keys) => {
        inFlight += 1
        recordBatch('read', keys.length)
        try {
          return await load(db, keys).catch((error: unknown) => loadEach(db, keys, error))
        } finally {
          inFlight -= 1
          waiting.shift()?.()
        }
      },
      {
        cache: false,
        maxBatchSize,
        batchScheduleFn: (dispatch) => {
          size = 0
          if (inFlight < maxBatchesInFlight) pipeline.beforeSending(dispatch)
          else waiting.push(dispatch)
        },
      },
    )
    function loadTogether(key: Key): Promise<Row> {
      const row = loader.load(key)
      size += 1
      if (size === fullAt && inFlight < maxBatchesInFlight) pipeline.sendNow()
      return row
    }
    loads.set(db, loadTogether)
    return loadTogether
  }

  /** After a failure of rows on one worker of a distributed database, those on others can still be read. */
  async function loadEach(db: Db, keys: readonly Key[], failure: unknown): Promise<(Row | Error)[]> {
    if (keys.length === 1 || !isWorkerUnavailable(failure)) throw failure
    return Promise.all(keys.map((key) => loadAlone(db, key).catch((error: Error) => error)))
  }

  async function loadAlone(db: Db, key: Key): Promise<Row> {
    return (await load(db, [key]))[0] as Row
  }

  return (db, key) => {
    const pipeline = pipelineOf(db)
    return pipeline ? (loads.get(db) ?? open(db, pipeline))(key) : loadAlone(db, key)
  }
}

/**
 * The same for rows by id where a call needs many of them, as a promise for each would cost too much. Concurrent calls
 * share the map and its rows, which must not be changed.
 */
export function coalesceLists<Row>(
  load: (db: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (db: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>> {
  return coalesce(async (db, lists: readonly (readonly string[])[]) => {
    const found = await load(db, lists.length === 1 ? lists[0]! : [...new Set(lists.flat())])
    return lists.map(() => found)
  })
}

/** Puts rows in the order of their keys; a key without a row gets undefined. */
export function orderByKeys<Key, Row>(keys: readonly Key[], rows: readonly Row[], keyOf: (row: Row) => Key) {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => byKey.get(key))
}

/** Puts rows at their places, which `with ordinality` counts from 1. */
export function groupByPlace<Row extends { place: string }>(count: number, rows: readonly Row[]) {
  const found: (Row | undefined)[] = new Array(count).fill(undefined)
  for (const row of rows) found[Number(row.place) - 1] = row
  return found
}
