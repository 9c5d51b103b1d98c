import type pg from 'pg'
import type { PreparingClient } from './preparing-client.ts'

/** So many reads at most travel together, and so many batches of them at once. */
const maxBatchSize = 32
const maxBatchesInFlight = 2

/** How the reads of the hot path reach the database. */
export type Pipeline = {
  /** Runs a prepared statement, together with what else waits; rows are arrays of values. */
  read(name: string, text: string, values: unknown[]): Promise<pg.QueryArrayResult>
  /** Calls back just before the next batch leaves: what is read then still travels with it. */
  beforeLeaving(gather: () => void): void
}

type Waiting = {
  statement: pg.QueryArrayConfig
  resolve(result: pg.QueryArrayResult): void
  reject(error: unknown): void
}

/**
 * Sends what waits at the same moment over one connection in one write: waking the other process costs more than most of
 * the statements. Each is answered by itself, as soon as it is. While so many batches are on their way, the next one grows.
 */
export function openPipeline(connect: () => Promise<PreparingClient & pg.PoolClient>): Pipeline {
  let gathering: (() => void)[] = []
  let waiting: Waiting[] = []
  let inFlight = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || inFlight >= maxBatchesInFlight || waiting.length + gathering.length === 0) return
    isScheduled = true
    setImmediate(leave)
  }

  function leave(): void {
    const gather = gathering
    gathering = []
    for (const each of gather) each()
    isScheduled = false
    const batch = waiting.slice(0, maxBatchSize)
    waiting = waiting.slice(maxBatchSize)
    if (batch.length > 0) send(batch)
    schedule()
  }

  async function send(batch: Waiting[]): Promise<void> {
    let unanswered = batch.length
    inFlight += 1
    try {
      const client = await connect()
      for (const one of batch) {
        client.query(one.statement, (error: Error | null, result: pg.QueryArrayResult) => {
          client.sent += 1
          unanswered -= 1
          if (unanswered === 0) {
            client.release()
            arrive()
          }
          if (error) one.reject(error)
          else one.resolve(result)
        })
      }
    } catch (error) {
      arrive()
      for (const one of batch) one.reject(error)
    }
  }

  function arrive(): void {
    inFlight -= 1
    schedule()
  }

  return {
    read(name, text, values) {
      return new Promise((resolve, reject) => {
        waiting.push({ statement: { name, text, values, rowMode: 'array' }, resolve, reject })
        schedule()
      })
    },
    beforeLeaving(gather) {
      gathering.push(gather)
      schedule()
    },
  }
}
