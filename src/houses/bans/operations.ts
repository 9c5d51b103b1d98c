import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import { findUser } from '../../users/queries.ts'
import { type HouseActor, requireHouse, withHouseLock } from '../access-operations.ts'
import { changesBetween } from '../audit-log/operations.ts'
import type { AuditEntry } from '../audit-log/queries.ts'
import { deleteInvitesBy } from '../invites/queries.ts'
import { removeBotsOf, removeMember } from '../members/removal-operations.ts'
import { canRemove, hasPermission, permission } from '../permissions.ts'
import { findMembership, type Membership, type MembershipRow } from '../queries.ts'
import { deleteBan, findBan, upsertBan } from './queries.ts'
import type { Ban, LiftedBan } from './schemas.ts'
import { serializeBan } from './serializers.ts'

/** The membership of a caller with EVICT_MEMBERS. Throws `house_not_found`, `no_permission`. */
export async function requireBanAccess(db: Db, caller: Membership): Promise<MembershipRow> {
  const membership = await requireHouse(db, caller)
  if (!hasPermission(membership, permission.EVICT_MEMBERS)) throw new ApiError('no_permission')
  return membership
}

/**
 * Bans a user from a house: removes those of them and their bots that are members, and revokes their invites to the
 * house (docs/api.md#bans). `addMember` refuses banned users and their bots. Throws `house_not_found`, `user_not_found`,
 * `no_permission`.
 */
export async function banUser(
  db: Db,
  caller: HouseActor,
  target: { user_id: string; reason: string | null },
): Promise<Outcome<Ban>> {
  const { house_id } = caller
  const { user_id, reason } = target
  return withHouseLock(db, caller, async (trx, membership) => {
    if (!(await findUser(trx, user_id))) throw new ApiError('user_not_found')
    if (!hasPermission(membership, permission.EVICT_MEMBERS)) throw new ApiError('no_permission')
    const targetMembership = await findMembership(trx, { house_id, user_id })
    if (targetMembership && !canRemove(membership, targetMembership)) throw new ApiError('no_permission')
    const before = await findBan(trx, house_id, user_id)
    await upsertBan(trx, { house_id, user_id, reason, created_by: caller.user_id })
    await deleteInvitesBy(trx, house_id, user_id)
    const left = (await removeMember(trx, { house_id, user_id })) ?? []
    const bots = await removeBotsOf(trx, membership, user_id)
    const answer = serializeBan((await findBan(trx, house_id, user_id))!)
    const audit = [...banChanged(user_id, before, { reason }), ...bots.audit]
    return { answer, events: [...left, ...bots.events], audit }
  })
}

/** Lifts a ban. Throws `house_not_found`, `no_permission`, `ban_not_found`, in this order. */
export function liftBan(db: Db, caller: HouseActor, userId: string): Promise<Outcome<LiftedBan>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    if (!hasPermission(membership, permission.EVICT_MEMBERS)) throw new ApiError('no_permission')
    const before = await findBan(trx, house_id, userId)
    if (!before || !(await deleteBan(trx, house_id, userId))) throw new ApiError('ban_not_found')
    const changes = changesBetween(before, null, ['reason'])
    const audit: AuditEntry = { action: 'ban_lifted', target_type: 'user', target_id: userId, changes }
    return { answer: { house_id, user_id: userId }, events: [], audit: [audit] }
  })
}

/** Nothing where somebody is banned again for the same reason. */
function banChanged(
  target_id: string,
  before: { reason: string | null } | undefined,
  after: { reason: string | null },
): AuditEntry[] {
  const changes = changesBetween(before ?? null, after, ['reason'])
  if (before && changes.length === 0) return []
  return [{ action: 'member_banned', target_type: 'user', target_id, changes }]
}
