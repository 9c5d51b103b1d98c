import { setTimeout as pause } from 'node:timers/promises'
import type { FairQueue } from '../../concurrency/fair-queue.ts'
import { isDatabaseUnavailable } from '../../database/availability/unavailable.ts'
import { availabilityCheck, type Db } from '../../database/client.ts'
import type { GatewayContext } from '../context.ts'
import type { Session } from './session.ts'

const maxAttempts = 5
const retryMs = 100

/** Reads for a session in the turn of its person. Undefined if the connection is closed by then. */
export function readInTurn<Result>(
  { db }: GatewayContext,
  queue: FairQueue,
  { personId, connection }: Session,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  const isWanted = () => connection.isOpen
  return queue(personId, async () => (isWanted() ? retryWhileBusy(db, isWanted, read) : undefined))
}

/**
 * Repeats a read while the database is too busy: a client that is disconnected during its login would come back as one
 * more login. Throws when the database is unavailable, or the result is no longer wanted.
 */
export async function retryWhileBusy<Result>(
  db: Db,
  isWanted: () => boolean,
  read: () => Promise<Result>,
): Promise<Result> {
  const isUnavailable = availabilityCheck(db)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      const isBusy = isDatabaseUnavailable(error) && !isUnavailable()
      if (!isBusy || !isWanted() || attempt === maxAttempts) throw error
    }
    await pause(retryMs)
  }
}
