import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '../db/away.ts'
import { awayCheck, type Db } from '../db/client.ts'

const attempts = 5
const pauseMs = 100
/** Many may wait for the database to come back. */
const awayPauseMs = 1_000

/**
 * Reads something for a login, and repeats that while the database is too busy: a client that is disconnected during
 * its login would only come back as one more login. Fails when the database is away, or the result is no longer wanted.
 */
export async function retryWhileBusy<Result>(
  db: Db,
  isWanted: () => boolean,
  read: () => Promise<Result>,
): Promise<Result> {
  const isAway = awayCheck(db)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      if (!isDatabaseAway(error) || isAway() || !isWanted() || attempt === attempts) throw error
    }
    await pause(pauseMs)
  }
}

/**
 * Reads something, and repeats that until the database can answer: for what happens also while it is away, and what
 * nobody waits for.
 */
export async function retryUntilBack<Result>(read: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
    }
    await pause(awayPauseMs, undefined, { ref: false })
  }
}
