import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import { type HouseActor, withHouseLock } from '../access-operations.ts'
import { changesBetween } from '../audit-log/operations.ts'
import { findMember } from '../members/queries.ts'
import type { Member } from '../members/schemas.ts'
import { serializeMember } from '../members/serializers.ts'
import { deleteMemberRole, insertMemberRole, touchMemberPermissions } from './member-role-queries.ts'
import { requireRole } from './operations.ts'
import { canManageRole } from './permissions.ts'

/** A member of the caller's house, and a role of the house. */
type MemberRole = { user_id: string; role_id: string }

/**
 * Gives a role to a member, who may be the caller (docs/api.md#roles). No change and no event if they have it. Throws
 * `house_not_found`, `member_not_found`, `role_not_found`, `no_permission`.
 */
export function giveRole(db: Db, caller: HouseActor, target: MemberRole): Promise<Outcome<Member>> {
  return changeRoles(db, caller, target, 'role_given', insertMemberRole)
}

/** Removes a role from a member, who may be the caller. No change and no event if they lack it. Throws as `giveRole`. */
export function takeRole(db: Db, caller: HouseActor, target: MemberRole): Promise<Outcome<Member>> {
  return changeRoles(db, caller, target, 'role_taken', deleteMemberRole)
}

function changeRoles(
  db: Db,
  caller: HouseActor,
  { user_id, role_id }: MemberRole,
  action: 'role_given' | 'role_taken',
  change: typeof insertMemberRole,
): Promise<Outcome<Member>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    if (!(await findMember(trx, { house_id, user_id }))) throw new ApiError('member_not_found')
    const role = await requireRole(trx, house_id, role_id)
    if (!canManageRole(membership, role)) throw new ApiError('no_permission')
    const isChange = await change(trx, house_id, user_id, role_id)
    if (isChange) await touchMemberPermissions(trx, house_id, user_id)
    const row = await findMember(trx, { house_id, user_id })
    const isGiven = action === 'role_given'
    const [had, has] = isGiven ? [null, { role_id }] : [{ role_id }, null]
    const changes = changesBetween(had, has, ['role_id'])
    return {
      answer: serializeMember(row!),
      events: isChange
        ? [
            { type: 'member_updated', house_id, user_id },
            { type: 'visibility_changed', house_id, user_ids: [user_id] },
          ]
        : [],
      audit: isChange ? [{ action, target_type: 'user', target_id: user_id, changes }] : [],
    }
  })
}
