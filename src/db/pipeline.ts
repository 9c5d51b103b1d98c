import type pg from 'pg'
import type { PreparingClient } from './preparing-client.ts'
import { ReadQuery, type Statement } from './read-query.ts'

/** The most reads that are sent together. */
const maxBatchSize = 32

/**
 * How many turns of the event loop a batch waits for more reads to join it, by the number of batches in flight: a few
 * large batches cost less than many small ones. With as many batches in flight as there are entries, the next one waits
 * until one of them is answered.
 */
const turnsToGather = [1, 8]

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

/** A read that waits. `send` calls `onAnswer` once it has been answered. */
type Waiting = {
  question: string
  send(client: PreparingClient, onAnswer: () => void): void
  reject(error: unknown): void
}

/**
 * Sends reads that wait at the same moment over one connection in one write, as waking the PostgreSQL process costs
 * more than most of the statements. Each read is answered as soon as its own rows are there.
 */
export function openPipeline(connect: () => Promise<PreparingClient & pg.PoolClient>): Pipeline {
  const joining: (() => void)[] = []
  /** The answers to waiting reads. Those in flight are not shared: an answer must be read after it was asked for. */
  const awaited = new Map<string, Promise<unknown[]>>()
  let waiting: Waiting[] = []
  let inFlight = 0
  let gathering: NodeJS.Immediate | undefined

  function schedule(): void {
    if (gathering || inFlight >= turnsToGather.length || waiting.length + joining.length === 0) return
    gathering = setImmediate(gather, 0)
  }

  function gather(turns: number): void {
    if (turns < turnsToGather[inFlight]!) gathering = setImmediate(gather, turns + 1)
    else leave()
  }

  function leave(): void {
    for (const join of joining.splice(0)) join()
    clearImmediate(gathering)
    gathering = undefined
    const batch = waiting.slice(0, maxBatchSize)
    waiting = waiting.slice(maxBatchSize)
    for (const { question } of batch) awaited.delete(question)
    if (batch.length > 0) send(batch)
    schedule()
  }

  async function send(batch: Waiting[]): Promise<void> {
    inFlight += 1
    try {
      const client = await connect()
      let unanswered = batch.length
      const onAnswer = () => {
        client.sent += 1
        unanswered -= 1
        if (unanswered > 0) return
        client.release()
        arrive()
      }
      client.sendTogether(() => {
        for (const one of batch) one.send(client, onAnswer)
      })
    } catch (error) {
      arrive()
      for (const one of batch) one.reject(error)
    }
  }

  function arrive(): void {
    inFlight -= 1
    schedule()
  }

  function read<Row>(statement: Statement<Row>, values: (string | null)[]): Promise<Row[]> {
    const question = [statement.name, ...values.map((value) => value ?? '\0')].join('\0')
    const answer = awaited.get(question) ?? ask(question, statement, values)
    awaited.set(question, answer)
    return answer as Promise<Row[]>
  }

  function ask<Row>(question: string, statement: Statement<Row>, values: (string | null)[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      waiting.push({
        question,
        reject,
        send(client, onAnswer) {
          const query = new ReadQuery(statement, values, (error, rows) => {
            onAnswer()
            if (error) reject(error)
            else resolve(rows)
          })
          client.query(query)
        },
      })
      schedule()
    })
  }

  return {
    read,
    beforeSending(join) {
      joining.push(join)
      schedule()
    },
    sendNow() {
      if (inFlight < turnsToGather.length) leave()
    },
  }
}
