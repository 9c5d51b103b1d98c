import type pg from 'pg'
import type { PooledClient } from '../pool/pooled-client.ts'
import { RowQuery, type Tuples } from './row-query.ts'

/** The most reads that are sent together. */
const maxBatchSize = 32

/**
 * How many turns of the event loop a batch waits for more reads to join it, by the number of batches in flight: a few
 * large batches cost less than many small ones. With as many batches in flight as there are entries, the next one waits
 * until one of them is answered.
 */
const turnsToGather = [1, 8]

/** A statement that is prepared under its name, and what its rows become. */
export type Statement<Row> = { name: string; text: string; toRows(tuples: Tuples): Row[] }

/** How the reads of the hot path reach the database. */
export type Pipeline = {
  /**
   * Runs a statement, together with others that wait. Equal reads that wait share their rows, which must not be
   * changed.
   */
  read<Row>(statement: Statement<Row>, values: (string | null)[]): Promise<Row[]>
  /** Calls back just before the next batch is sent: reads made in that moment still join it. */
  beforeSending(join: () => void): void
  /** Sends the waiting reads at once, unless as many batches are in flight as are allowed. */
  sendNow(): void
}

/**
 * Sends reads that wait at the same moment over one connection in one write, as waking the PostgreSQL process costs
 * more than most of the statements. Each read is answered as soon as its own rows are there.
 */
export function openPipeline(connect: () => Promise<PooledClient & pg.PoolClient>): Pipeline {
  const joining: (() => void)[] = []
  /** By statement and values. Reads in flight are not among them: an answer must be read after it was asked for. */
  const waiting = new Map<string, { query: RowQuery; rows: Promise<unknown[]> }>()
  let inFlight = 0
  let gathering: NodeJS.Immediate | undefined

  function schedule(): void {
    if (gathering || inFlight >= turnsToGather.length || waiting.size + joining.length === 0) return
    gathering = setImmediate(gather, 0)
  }

  function gather(turns: number): void {
    if (turns < turnsToGather[inFlight]!) gathering = setImmediate(gather, turns + 1)
    else sendWaiting()
  }

  function sendWaiting(): void {
    for (const join of joining.splice(0)) join()
    clearImmediate(gathering)
    gathering = undefined
    const batch = [...waiting].slice(0, maxBatchSize)
    for (const [key] of batch) waiting.delete(key)
    if (batch.length > 0) void send(batch.map(([_key, { query }]) => query))
    schedule()
  }

  async function send(batch: RowQuery[]): Promise<void> {
    inFlight += 1
    try {
      const client = await connect()
      client.queryTogether(batch)
      for (const { answered } of batch) {
        await answered.catch(() => {})
        client.noteProgress()
      }
      client.release()
    } catch (error) {
      for (const query of batch) query.fail(error)
    }
    inFlight -= 1
    schedule()
  }

  return {
    read<Row>(statement: Statement<Row>, values: (string | null)[]) {
      const key = [statement.name, ...values.map((value) => value ?? '\0')].join('\0')
      const same = waiting.get(key)
      if (same) return same.rows as Promise<Row[]>
      const query = new RowQuery(statement, values)
      const rows = query.answered.then(statement.toRows)
      waiting.set(key, { query, rows })
      schedule()
      return rows
    },
    beforeSending(join) {
      joining.push(join)
      schedule()
    },
    sendNow() {
      if (inFlight < turnsToGather.length) sendWaiting()
    },
  }
}
