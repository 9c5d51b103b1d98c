import { isUndone } from './away.ts'
import type { Db } from './client.ts'

/** Is given what the work of a transaction has returned. */
type Listener = (result: unknown) => void

const listeners = new WeakMap<Db, Set<Listener>>()

/**
 * Calls `listener` when the commit of a transaction was not answered: it may or may not have been carried out. Returns
 * how to stop that.
 */
export function onDoubtfulCommit(db: Db, listener: Listener): () => void {
  const all = listeners.get(db) ?? new Set()
  if (!listeners.has(db)) watchCommits(db, all)
  listeners.set(db, all.add(listener))
  return () => all.delete(listener)
}

function watchCommits(db: Db, all: ReadonlySet<Listener>): void {
  const begin = db.transaction.bind(db)
  db.transaction = () => {
    const builder = begin()
    const execute = builder.execute.bind(builder)
    builder.execute = async (work) => {
      let returned: { result: unknown } | undefined
      try {
        return await execute(async (trx) => {
          const result = await work(trx)
          returned = { result }
          return result
        })
      } catch (error) {
        // Once the work is done, only the commit can have failed.
        if (returned && !isUndone(error)) for (const listener of all) listener(returned.result)
        throw error
      }
    }
    return builder
  }
}
