import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import { member } from '../members/forms.ts'
import { removeMember } from '../members/operations.ts'
import { findMember } from '../members/queries.ts'
import { discardRoomFiles } from '../messages/attachment-queries.ts'
import { inHouse } from './access-operations.ts'
import { discardIcon } from './icon-operations.ts'
import {
  deleteHouse as deleteHouseRow,
  findHeirId,
  type HouseRow,
  lockHouse,
  lockHouseRooms,
  type Membership,
  updateHouse,
} from './queries.ts'

/** Deletes a house with all there is in it (API 4.11). Throws `no_permission` for whoever does not own it. */
export async function deleteHouse(db: Db, { house_id, user_id }: Membership): Promise<Outcome<null>> {
  return db.transaction().execute(async (trx) => {
    const house = await lockHouse(trx, house_id)
    if (house?.owner_id !== user_id) throw new ApiError('no_permission')
    await removeHouse(trx, house)
    return { answer: null, events: [{ type: 'house_deleted', house_id }] }
  })
}

/** Leaves a house (API 4.7). Throws `out_of_scope` for a house one is not in. */
export async function leaveHouse(db: Db, membership: Membership): Promise<Outcome<null>> {
  const events = await db.transaction().execute((trx) => takeOut(trx, membership))
  if (!events) throw new ApiError('out_of_scope')
  return { answer: null, events }
}

/**
 * Takes a member out of a house, inside a transaction, and returns the events; undefined when they are not in it. The
 * house of a departing owner passes on to the heir of PROTOCOL 9.3, and ends with its last member.
 */
export async function takeOut(trx: Db, membership: Membership): Promise<HearthEvent[] | undefined> {
  const { house_id, user_id } = membership
  const house = await lockHouse(trx, house_id)
  if (!house) return undefined
  if (house.owner_id !== user_id) return removeMember(trx, membership)
  const heirId = await findHeirId(trx, house_id, user_id)
  if (heirId === undefined) return leaveLast(trx, house)
  await updateHouse(trx, house_id, { owner_id: heirId })
  const left = await removeMember(trx, membership)
  return left && [...left, ...passedOn(house_id, [heirId])]
}

async function leaveLast(trx: Db, house: HouseRow): Promise<HearthEvent[] | undefined> {
  const membership = { house_id: house.id, user_id: house.owner_id }
  const row = await findMember(trx, membership)
  await removeHouse(trx, house)
  return row && [{ type: 'member_left', ...membership, member: member(row) }]
}

/**
 * Removes a locked house; its rooms are locked as sending locks them, in id order, lest the two wait for each other.
 */
async function removeHouse(trx: Db, house: HouseRow): Promise<void> {
  const rooms = await lockHouseRooms(trx, house.id)
  await discardRoomFiles(trx, rooms)
  if (house.icon !== null) await discardIcon(trx, house.id, house.icon)
  await deleteHouseRow(trx, house.id)
}

/**
 * Hands a house over to another member, who is a person. Throws `house_not_found`, `member_not_found`,
 * `no_permission`.
 */
export async function handOverHouse(
  db: Db,
  caller: Membership,
  heirId: string,
): Promise<Outcome<{ house_id: string; owner_id: string }>> {
  const { house_id, user_id } = caller
  return inHouse(db, caller, async (trx, { owner_id }) => {
    const heir = await findMember(trx, { house_id, user_id: heirId })
    if (!heir) throw new ApiError('member_not_found')
    if (owner_id !== user_id || heir.user.bot) throw new ApiError('no_permission')
    const answer = { house_id, owner_id: heirId }
    if (heirId === user_id) return { answer, events: [] }
    await updateHouse(trx, house_id, { owner_id: heirId })
    return { answer, events: passedOn(house_id, [user_id, heirId]) }
  })
}

/** The new owner can read every room, and the former one perhaps fewer than before. */
function passedOn(house_id: string, user_ids: string[]): HearthEvent[] {
  return [
    { type: 'house_updated', house_id },
    { type: 'visibility_changed', house_id, user_ids },
  ]
}
