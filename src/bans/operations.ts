import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/bus.ts'
import { inHouse, reachHouse } from '../houses/access-operations.ts'
import { canRemove, holds, permission } from '../houses/permissions.ts'
import { findMembership, type Membership, type MembershipRow } from '../houses/queries.ts'
import { deleteInvitesBy } from '../invites/queries.ts'
import { removeMember } from '../members/operations.ts'
import { findUser } from '../users/queries.ts'
import { ban } from './forms.ts'
import { deleteBan, getBan, saveBan } from './queries.ts'
import type { Ban, LiftedBan } from './schemas.ts'

/** The membership of a caller who may see and set bans. Throws `house_not_found`, `no_permission`. */
export async function reachBans(db: Db, caller: Membership): Promise<MembershipRow> {
  const membership = await reachHouse(db, caller)
  if (!holds(membership, permission.EVICT_MEMBERS)) throw new ApiError('no_permission')
  return membership
}

/**
 * Bans a user, member or not: they are removed, their invites to the house revoked, and there is no way in until the
 * ban is lifted. Throws `house_not_found`, `user_not_found`, `no_permission`.
 */
export async function banUser(
  db: Db,
  caller: Membership,
  target: { user_id: string; reason: string | null },
): Promise<Outcome<Ban>> {
  const { house_id } = caller
  const { user_id, reason } = target
  return inHouse(db, caller, async (trx, membership) => {
    if (!(await findUser(trx, user_id))) throw new ApiError('user_not_found')
    if (!holds(membership, permission.EVICT_MEMBERS)) throw new ApiError('no_permission')
    const targetMembership = await findMembership(trx, { house_id, user_id })
    if (targetMembership && !canRemove(membership, targetMembership)) throw new ApiError('no_permission')
    await saveBan(trx, { house_id, user_id, reason, created_by: caller.user_id })
    await deleteInvitesBy(trx, house_id, user_id)
    const events = await removeMember(trx, { house_id, user_id })
    return { answer: ban(await getBan(trx, house_id, user_id)), events: events ?? [] }
  })
}

/** Lifts a ban. Throws `house_not_found`, `no_permission`, `ban_not_found`: bans are not seen without the bit. */
export async function liftBan(db: Db, caller: Membership, userId: string): Promise<Outcome<LiftedBan>> {
  const { house_id } = await reachBans(db, caller)
  if (!(await deleteBan(db, house_id, userId))) throw new ApiError('ban_not_found')
  return { answer: { house_id, user_id: userId }, events: [] }
}
