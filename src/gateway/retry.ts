import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '../db/away.ts'
import { awayCheck, type Db } from '../db/client.ts'

const attempts = 5
const pauseMs = 100

/**
 * Reads for a login, and again when that is refused because the database is busy: a request is asked again by its
 * client, but a login that is closed comes back as one more. Fails when the database is away, or it `isWanted` no
 * longer.
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
