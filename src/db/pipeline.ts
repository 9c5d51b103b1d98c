import type pg from 'pg'
import type { PreparingClient } from './preparing-client.ts'
import { ReadQuery, type Statement } from './read-query.ts'

/** So many reads at most travel together. */
const maxBatchSize = 32

/**
 * How many turns of the event loop a batch waits for more to join it, by how many are on their way already: a few large
 * ones cost less than many small ones, and none has to wait for one that takes long. Past these it waits for an answer.
 */
const turnsToGather = [1, 8]

/** How the reads of the hot path reach the database. */
export type Pipeline = {
  /** Runs a statement, together with what else waits; who asks the same meanwhile gets the same rows, to be left as they are. */
  read<Row>(statement: Statement<Row>, values: (string | null)[]): Promise<Row[]>
  /** Calls back just before the next batch leaves: what is read then still travels with it. */
  beforeLeaving(join: () => void): void
  /** Sends at once what waits, unless as many batches as may be are in flight. */
  leaveEarly(): void
}

/** A read that waits. It is sent with what to call when it has been answered. */
type Waiting = {
  question: string
  send(client: PreparingClient, onAnswer: () => void): void
  reject(error: unknown): void
}

/**
 * Sends what waits at the same moment over one connection in one write: waking the other process costs more than most of
 * the statements. Each is answered by itself, as soon as it is.
 */
export function openPipeline(connect: () => Promise<PreparingClient & pg.PoolClient>): Pipeline {
  const joining: (() => void)[] = []
  /** The answers to what waits, not to what is on its way: each is read after it was asked for. */
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
    beforeLeaving(join) {
      joining.push(join)
      schedule()
    },
    leaveEarly() {
      if (inFlight < turnsToGather.length) leave()
    },
  }
}
