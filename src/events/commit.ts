import type { Db } from '../database/client.ts'
import type { HearthEvent } from './events.ts'
import { type Entry, insertEvents } from './log-queries.ts'

/** What the work of a transaction returns: the answer, and the events of the change. */
export type Change<Answer> = { answer: Answer; events: readonly HearthEvent[] }

/** What an operation returns: the answer, and its events as entries of the log. */
export type Outcome<Answer> = { answer: Answer; events: readonly Entry[] }

/**
 * Runs work in a transaction that also adds its events to the log. Every change with events goes through this, except
 * sends, acks and others that share a statement, which inserts the events itself.
 */
export function commit<Answer>(db: Db, work: (trx: Db) => Promise<Change<Answer>>): Promise<Outcome<Answer>>
/** As above; undefined where nothing has changed. */
export function commit<Answer>(
  db: Db,
  work: (trx: Db) => Promise<Change<Answer> | undefined>,
): Promise<Outcome<Answer> | undefined>
export function commit<Answer>(
  db: Db,
  work: (trx: Db) => Promise<Change<Answer> | undefined>,
): Promise<Outcome<Answer> | undefined> {
  return db.transaction().execute(async (trx) => {
    const change = await work(trx)
    if (!change) return undefined
    const { answer, events } = change
    return { answer, events: events.length > 0 ? await insertEvents(trx, events) : [] }
  })
}
