import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { findMembership, type MembershipRow } from './queries.ts'

/** The caller's membership in a house. Throws `house_not_found` for a house that is unknown, or not theirs. */
export async function reachHouse(db: Db, houseId: string, callerId: string): Promise<MembershipRow> {
  const membership = await findMembership(db, { house_id: houseId, user_id: callerId })
  if (!membership) throw new ApiError('house_not_found')
  return membership
}
