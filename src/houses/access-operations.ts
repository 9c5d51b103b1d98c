import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/commit.ts'
import { type Actor, type AuditedChange, commitAudited } from './audit-log/operations.ts'
import { withRemovedBots } from './members/removal-operations.ts'
import { findMembership, type HouseRow, lockHouse, type Membership, type MembershipRow } from './queries.ts'

/** The caller's membership in a house. Throws `house_not_found` if there is no such house, or they are not a member. */
export async function requireHouse(db: Db, caller: Membership): Promise<MembershipRow> {
  const membership = await findMembership(db, caller)
  if (!membership) throw new ApiError('house_not_found')
  return membership
}

/** A member who changes something in their house, and their reason. */
export type HouseActor = Actor & Membership

/**
 * Runs `work` in a transaction that locks the house, with the house and the caller's membership as read under the lock:
 * the caller's permissions cannot change until the commit. A caller who is not a member is refused without a lock. The
 * entries that `work` returns are added to the audit log. Bots leave whose adders lose MANAGE_BOTS by the change. Throws `house_not_found`.
 */
export async function withHouseLock<Answer>(
  db: Db,
  caller: HouseActor,
  work: (trx: Db, membership: MembershipRow, house: HouseRow) => Promise<AuditedChange<Answer>>,
): Promise<Outcome<Answer>> {
  await requireHouse(db, caller)
  return commitAudited(db, caller, async (trx) => {
    const house = await lockHouse(trx, caller.house_id)
    const change = await work(trx, await requireHouse(trx, caller), house!)
    return withRemovedBots(trx, caller.house_id, change)
  })
}
