import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { findMembership, lockHouse, type Membership, type MembershipRow } from './queries.ts'

/** The caller's membership in a house. Throws `house_not_found` for a house that is unknown, or not theirs. */
export async function reachHouse(db: Db, houseId: string, callerId: string): Promise<MembershipRow> {
  const membership = await findMembership(db, { house_id: houseId, user_id: callerId })
  if (!membership) throw new ApiError('house_not_found')
  return membership
}

/**
 * Holds a house until the transaction ends, and gives the caller's membership as it is from then on: what they may do
 * cannot be taken from them meanwhile. Throws `house_not_found`.
 */
export async function holdHouse(trx: Db, caller: Membership): Promise<MembershipRow> {
  await lockHouse(trx, caller.house_id)
  return reachHouse(trx, caller.house_id, caller.user_id)
}
