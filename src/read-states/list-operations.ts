import type { Db } from '../db/client.ts'
import { takeTurnWithList } from '../lists.ts'
import { listReadStates } from './operations.ts'
import type { ReadStates } from './schemas.ts'

/** The read states of a user over HTTP. Throws `unavailable` when too many lists of this user, or of all, wait. */
export function listOwnReadStates(db: Db, userId: string): Promise<ReadStates> {
  return takeTurnWithList(userId, () => listReadStates(db, userId))
}
