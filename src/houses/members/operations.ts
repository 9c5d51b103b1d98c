import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { lockUsers } from '../../users/lock-queries.ts'
import { type HouseActor, withHouseLock } from '../access-operations.ts'
import { isBanned } from '../bans/queries.ts'
import { canRemove, hasPermission, permission } from '../permissions.ts'
import { findMembership, lockHouse, type Membership } from '../queries.ts'
import { countMemberships, findMember, insertMember } from './queries.ts'
import { kicked, removeBotsOf, removeMember } from './removal-operations.ts'
import type { RemovedMember } from './schemas.ts'

/** Houses a user may be in (docs/api.md#counts-and-sizes). */
export const maxMemberships = 100

/**
 * Adds a user to a house, in the given transaction, and returns the events: [] if they are a member already, undefined
 * if house or user is deleted. `added_by`: who adds a bot. Locks the user, then the house. Throws `no_permission` if the
 * user, or the owner of the bot, is banned, `limit_reached`.
 */
export async function addMember(
  trx: Db,
  { house_id, user_id, added_by }: Membership & { added_by?: string },
): Promise<HearthEvent[] | undefined> {
  const [present] = await lockUsers(trx, [user_id])
  if (!present || !(await lockHouse(trx, house_id))) return undefined
  if (await findMember(trx, { house_id, user_id })) return []
  if (await isBanned(trx, house_id, user_id)) throw new ApiError('no_permission')
  await requireRoomForHouse(trx, user_id)
  await insertMember(trx, { house_id, user_id, added_by })
  return [{ type: 'member_joined', house_id, user_id }]
}

/** Throws `limit_reached` if a locked user is in the maximum number of houses. */
export async function requireRoomForHouse(trx: Db, userId: string): Promise<void> {
  if ((await countMemberships(trx, userId)) >= maxMemberships) throw limitReached('houses')
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
