import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { deleteReadStates } from '../../read-states/queries.ts'
import { deleteOverrides } from '../../rooms/house-rooms/queries.ts'
import { lockUsers } from '../../users/lock-queries.ts'
import { type HouseActor, withHouseLock } from '../access-operations.ts'
import type { AuditEntry } from '../audit-log/queries.ts'
import { isBanned } from '../bans/queries.ts'
import { canRemove, hasPermission, permission } from '../permissions.ts'
import { findMembership, lockHouse, type Membership, type MembershipRow } from '../queries.ts'
import { countMemberships, deleteMember, findMember, insertMember, listMemberBotIds } from './queries.ts'
import type { RemovedMember } from './schemas.ts'
import { serializeMember } from './serializers.ts'

/** Houses a user may be in (docs/api.md#counts-and-sizes). */
export const maxMemberships = 100

/**
 * Adds a user to a house, in the given transaction, and returns the events: [] if they are a member already, undefined
 * if house or user is deleted. Locks the user, then the house. Throws `no_permission` if the user, or the owner of the
 * bot, is banned, `limit_reached`.
 */
export async function addMember(
  trx: Db,
  { house_id, user_id }: Membership,
): Promise<HearthEvent[] | undefined> {
  const [present] = await lockUsers(trx, [user_id])
  if (!present || !(await lockHouse(trx, house_id))) return undefined
  if (await findMember(trx, { house_id, user_id })) return []
  if (await isBanned(trx, house_id, user_id)) throw new ApiError('no_permission')
  await requireRoomForHouse(trx, user_id)
  await insertMember(trx, house_id, user_id)
  return [{ type: 'member_joined', house_id, user_id }]
}

/** Throws `limit_reached` if a locked user is in the maximum number of houses. */
export async function requireRoomForHouse(trx: Db, userId: string): Promise<void> {
  if ((await countMemberships(trx, userId)) >= maxMemberships) throw limitReached('houses')
}

/**
 * Removes a member from a locked house with their roles, overrides and read states; messages and settings stay. Returns
 * the events, undefined if they are not a member. For the owner use `removeMembership`
 * (`houses/leaving-operations.ts`).
 */
export async function removeMember(
  trx: Db,
  { house_id, user_id }: Membership,
): Promise<HearthEvent[] | undefined> {
  const row = await findMember(trx, { house_id, user_id })
  if (!row) return undefined
  await deleteMember(trx, house_id, user_id)
  await deleteOverrides(trx, house_id, user_id)
  await deleteReadStates(trx, house_id, user_id)
  return [{ type: 'member_left', house_id, user_id, member: serializeMember(row) }]
}

/**
 * Removes from a locked house the bots of somebody who is kicked or banned (docs/permissions.md#rank), as each acts for
 * its owner. Throws `no_permission` for a bot above which `by` does not rank.
 */
export async function removeBotsOf(
  trx: Db,
  by: MembershipRow,
  ownerId: string,
): Promise<{ events: HearthEvent[]; audit: AuditEntry[] }> {
  const { house_id } = by
  const events: HearthEvent[] = []
  const audit: AuditEntry[] = []
  for (const user_id of await listMemberBotIds(trx, house_id, ownerId)) {
    const bot = await findMembership(trx, { house_id, user_id })
    if (!bot || !canRemove(by, bot)) throw new ApiError('no_permission')
    events.push(...((await removeMember(trx, { house_id, user_id })) ?? []))
    audit.push(kicked(user_id))
  }
  return { events, audit }
}

function kicked(target_id: string): AuditEntry {
  return { action: 'member_kicked', target_type: 'user', target_id, changes: [] }
}

/** Removes a member with their bots; they may rejoin. Throws `house_not_found`, `member_not_found`, `no_permission`. */
export async function kickMember(
  db: Db,
  caller: HouseActor,
  userId: string,
): Promise<Outcome<RemovedMember>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    const target = await findMembership(trx, { house_id, user_id: userId })
    if (!target) throw new ApiError('member_not_found')
    const mayKick = hasPermission(membership, permission.KICK_MEMBERS) && canRemove(membership, target)
    const events = mayKick && (await removeMember(trx, { house_id, user_id: userId }))
    if (!events) throw new ApiError('no_permission')
    const bots = await removeBotsOf(trx, membership, userId)
    return {
      answer: { house_id, user_id: userId },
      events: [...events, ...bots.events],
      audit: [kicked(userId), ...bots.audit],
    }
  })
}
