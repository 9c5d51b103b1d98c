import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { commit, type Outcome } from '../events/commit.ts'
import type { HearthEvent } from '../events/events.ts'
import { removeMessages, removeRowsOf } from '../messages/removal/operations.ts'
import { writeAudit } from './audit-log/operations.ts'
import type { AuditEntry } from './audit-log/queries.ts'
import { discardIcon } from './icon-operations.ts'
import { findMember } from './members/queries.ts'
import { removeMember } from './members/removal-operations.ts'
import { serializeMember } from './members/serializers.ts'
import {
  deleteHouse,
  findNextOwnerId,
  type HouseRow,
  lockHouse,
  lockHouseRooms,
  type Membership,
  updateHouse,
} from './queries.ts'
import { listWebhooks } from './webhooks/queries.ts'
import { removeWebhooks } from './webhooks/removal-operations.ts'

/** Leaves a house (docs/api.md#houses). Throws `out_of_scope` if the user is not a member. */
export function leaveHouse(db: Db, membership: Membership): Promise<Outcome<null>> {
  return commit(db, async (trx) => {
    const events = await removeMembership(trx, membership)
    if (!events) throw new ApiError('out_of_scope')
    return { answer: null, events }
  })
}

/**
 * Removes a member or the owner from a house, in the given transaction, and returns the events; undefined if they are
 * not a member. Ownership passes on as docs/gateway.md#houses describes; the house is deleted with its last member.
 */
export async function removeMembership(trx: Db, membership: Membership): Promise<HearthEvent[] | undefined> {
  const { house_id, user_id } = membership
  const house = await lockHouse(trx, house_id)
  if (!house) return undefined
  if (house.owner_id !== user_id) return removeMember(trx, membership)
  const newOwnerId = await findNextOwnerId(trx, house_id, user_id)
  if (newOwnerId === undefined) return removeLastMember(trx, house)
  await updateHouse(trx, house_id, { owner_id: newOwnerId })
  await writeAudit(trx, membership, [ownerChanged(user_id, newOwnerId)])
  const left = await removeMember(trx, membership)
  return left && [...left, ...ownerChangedEvents(house_id, [newOwnerId])]
}

async function removeLastMember(trx: Db, house: HouseRow): Promise<HearthEvent[] | undefined> {
  const membership = { house_id: house.id, user_id: house.owner_id }
  const row = await findMember(trx, membership)
  await removeHouse(trx, house)
  return row && [{ type: 'member_left', ...membership, member: serializeMember(row) }]
}

/**
 * Deletes a locked house. Its rooms are locked in id order, as sending locks them, which prevents a deadlock.
 */
export async function removeHouse(trx: Db, house: HouseRow): Promise<void> {
  const rooms = await lockHouseRooms(trx, house.id)
  await removeMessages(trx, rooms)
  await removeWebhooks(trx, await listWebhooks(trx, house.id))
  if (house.icon !== null) await discardIcon(trx, house.id, house.icon)
  await deleteHouse(trx, house.id)
  await removeRowsOf(trx, rooms)
}

/** The entry of a new owner in the audit log. */
export function ownerChanged(before: string, after: string): AuditEntry {
  const changes = [{ key: 'owner_id', old: before, new: after }]
  return { action: 'owner_changed', target_type: 'user', target_id: after, changes }
}

/** The events of a change of owner; `user_ids`: the users for whom the readable rooms may change. */
export function ownerChangedEvents(house_id: string, user_ids: string[]): HearthEvent[] {
  return [
    { type: 'house_updated', house_id },
    { type: 'visibility_changed', house_id, user_ids },
  ]
}
