import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { canContact } from '../../friendships/permissions.ts'
import { listBlocksBetween } from '../../friendships/queries.ts'
import { removeMessages, removeRowsOf } from '../../messages/removal/operations.ts'
import { shareUserLocks } from '../../users/lock-queries.ts'
import { requireRoomAccess } from '../access-operations.ts'
import { roomType } from '../permissions.ts'
import { findRoom } from '../queries.ts'
import type { Room } from '../schemas.ts'
import { serializeRoom } from '../serializers.ts'
import {
  deleteRecipient,
  deleteRooms,
  insertRecipients,
  listEmptyRoomIds,
  listRecipientIds,
  lockGroup,
  lockGroupsOf,
  transferGroups,
} from './queries.ts'
import type { RemovedRecipient } from './schemas.ts'

/** People in a group (docs/api.md#counts-and-sizes). */
export const maxGroupSize = 50

/**
 * Adds a user to a group of the caller; adding a participant changes nothing (docs/gateway.md#private-rooms). Throws
 * `room_not_found`, `method_not_allowed_on_room_type`, `user_not_found`, `no_permission`, `limit_reached`.
 */
export async function addRecipient(
  db: Db,
  callerId: string,
  roomId: string,
  userId: string,
): Promise<Outcome<Room>> {
  await requireGroup(db, roomId, callerId)
  return commit(db, async (trx) => {
    const present = await shareUserLocks(trx, [callerId, userId])
    if (!present.some((user) => user.id === userId)) throw new ApiError('user_not_found')
    const { participants } = await lockGroupWithParticipants(trx, roomId, callerId)
    if (participants.has(userId)) return { answer: await getRoomFor(trx, roomId, callerId), events: [] }
    const blocks = await listBlocksBetween(trx, callerId, [userId])
    if (!canContact(blocks, callerId)) throw new ApiError('no_permission')
    if (participants.size >= maxGroupSize) throw limitReached('recipients')
    await insertRecipients(trx, roomId, [userId])
    return {
      answer: await getRoomFor(trx, roomId, callerId),
      events: [
        { type: 'private_room_entered', room_id: roomId, user_id: userId },
        { type: 'room_updated', room_id: roomId, house_id: null, except_user_id: userId },
      ],
    }
  })
}

/**
 * Removes a user from a group that the caller owns, or the caller from any group (docs/gateway.md#private-rooms). Throws
 * `room_not_found`, `method_not_allowed_on_room_type`, `member_not_found`, `no_permission`.
 */
export async function removeRecipient(
  db: Db,
  callerId: string,
  roomId: string,
  userId: string,
): Promise<Outcome<RemovedRecipient>> {
  await requireGroup(db, roomId, callerId)
  return commit(db, async (trx) => {
    const { ownerId, participants } = await lockGroupWithParticipants(trx, roomId, callerId)
    if (!participants.has(userId)) throw new ApiError('member_not_found')
    if (userId !== callerId && ownerId !== callerId) throw new ApiError('no_permission')
    return { answer: { id: roomId, user_id: userId }, events: await removeFromGroups(trx, userId, roomId) }
  })
}

/**
 * Removes the caller from a group. Ownership passes on; the group is deleted with its last participant
 * (docs/gateway.md#private-rooms). Throws `method_not_allowed_on_room_type` for a room that is not a group of the caller.
 */
export function leaveGroup(db: Db, callerId: string, roomId: string): Promise<Outcome<null>> {
  return commit(db, async (trx) => {
    const events = await removeFromGroups(trx, callerId, roomId)
    if (events.length === 0) throw new ApiError('method_not_allowed_on_room_type')
    return { answer: null, events }
  })
}

/** Removes a user from all their groups, in the transaction that deletes the account. Returns the events. */
export function leaveAllGroups(trx: Db, userId: string): Promise<HearthEvent[]> {
  return removeFromGroups(trx, userId, null)
}

/** A private room for one of its participants. */
export async function getRoomFor(db: Db, roomId: string, receiverId: string): Promise<Room> {
  return serializeRoom((await findRoom(db, roomId))!, receiverId)
}

/** Throws `room_not_found` for a room that the caller cannot read, `method_not_allowed_on_room_type` for no group. */
async function requireGroup(db: Db, roomId: string, callerId: string): Promise<void> {
  const access = await requireRoomAccess(db, roomId, callerId)
  if (access.type !== roomType.group) throw new ApiError('method_not_allowed_on_room_type')
}

/** Locks a group and reads its participants. Throws `room_not_found` if the caller has left it. */
async function lockGroupWithParticipants(
  trx: Db,
  roomId: string,
  callerId: string,
): Promise<{ ownerId: string | null; participants: Set<string> }> {
  const locked = await lockGroup(trx, roomId)
  const participants = new Set(await listRecipientIds(trx, roomId))
  if (!locked || !participants.has(callerId)) throw new ApiError('room_not_found')
  return { ownerId: locked.owner_id, participants }
}

/** Removes a user from one group, or (null) from all. Returns the events; [] if they are in none. */
async function removeFromGroups(trx: Db, userId: string, roomId: string | null): Promise<HearthEvent[]> {
  const left = await lockGroupsOf(trx, userId, roomId)
  if (left.length === 0) return []
  await deleteRecipient(trx, userId, left)
  await transferGroups(trx, userId, left)
  const empty = await listEmptyRoomIds(trx, left)
  if (empty.length > 0) {
    await removeMessages(trx, empty)
    await deleteRooms(trx, empty)
    await removeRowsOf(trx, empty)
  }
  const ended = new Set(empty)
  return left.flatMap((room_id) => leftEvents(room_id, userId, ended.has(room_id)))
}

function leftEvents(room_id: string, user_id: string, isLast: boolean): HearthEvent[] {
  const left: HearthEvent = { type: 'private_room_left', room_id, user_id }
  return isLast ? [left] : [left, { type: 'room_updated', room_id, house_id: null }]
}
