import { isBanned } from '../bans/queries.ts'
import type { Db } from '../db/client.ts'
import { ApiError, limitReached } from '../errors.ts'
import type { Outcome } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import { inHouse } from '../houses/access-operations.ts'
import { canRemove, holds, permission } from '../houses/permissions.ts'
import { findMembership, lockHouse, type Membership } from '../houses/queries.ts'
import { deleteReadStates } from '../read-states/queries.ts'
import { deleteOverrides } from '../rooms/house-room-queries.ts'
import { lockUsers } from '../users/lock-queries.ts'
import { member } from './forms.ts'
import { countMemberships, deleteMember, findMember, insertMember } from './queries.ts'
import type { RemovedMember } from './schemas.ts'

/** Houses a user may be in (PROTOCOL 1.6). */
const maxMemberships = 100

/**
 * Makes a user a member of a house, inside a transaction, and returns the events: nothing when they already are one,
 * undefined when there is no such house, or no such user any more. Throws `no_permission` when they are banned,
 * `limit_reached`. Locks the user, then the house.
 */
export async function addMember(
  trx: Db,
  { house_id, user_id }: Membership,
): Promise<HearthEvent[] | undefined> {
  const [present] = await lockUsers(trx, [user_id])
  if (!present || !(await lockHouse(trx, house_id))) return undefined
  if (await findMember(trx, { house_id, user_id })) return []
  if (await isBanned(trx, house_id, user_id)) throw new ApiError('no_permission')
  await refuseAnotherHouse(trx, user_id)
  await insertMember(trx, house_id, user_id)
  return [{ type: 'member_joined', house_id, user_id }]
}

/** Throws `limit_reached` for a user who is in as many houses as they may be. The user is locked. */
export async function refuseAnotherHouse(trx: Db, userId: string): Promise<void> {
  if ((await countMemberships(trx, userId)) >= maxMemberships) throw limitReached('houses')
}

/**
 * Takes a member out of a locked house: roles, overrides and read states there go, messages and settings stay. Gives
 * what happened, undefined when they are no member. The owner leaves by `takeOut` of `houses/leaving-operations.ts`
 * alone.
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
  return [{ type: 'member_left', house_id, user_id, member: member(row) }]
}

/** Removes a member, who may come again. Throws `house_not_found`, `member_not_found`, `no_permission`. */
export async function kickMember(
  db: Db,
  caller: Membership,
  userId: string,
): Promise<Outcome<RemovedMember>> {
  const { house_id } = caller
  return inHouse(db, caller, async (trx, membership) => {
    const target = await findMembership(trx, { house_id, user_id: userId })
    if (!target) throw new ApiError('member_not_found')
    const mayKick = holds(membership, permission.KICK_MEMBERS) && canRemove(membership, target)
    const events = mayKick && (await removeMember(trx, { house_id, user_id: userId }))
    if (!events) throw new ApiError('no_permission')
    return { answer: { house_id, user_id: userId }, events }
  })
}
