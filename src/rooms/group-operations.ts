import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import {
  deleteRecipient,
  deleteRooms,
  discardRoomFiles,
  listEmptyRoomIds,
  lockGroupsOf,
  passGroupsOn,
} from './private-room-queries.ts'

/**
 * Takes the caller out of a group: ownership passes on, the last one out ends it (API 4.6, PROTOCOL 9.2). Throws
 * `method_not_allowed_on_room_type` for whatever is no group they are in.
 */
export async function leaveGroup(db: Db, callerId: string, roomId: string): Promise<Outcome<null>> {
  const events = await db.transaction().execute((trx) => takeOut(trx, callerId, roomId))
  if (events.length === 0) throw new ApiError('method_not_allowed_on_room_type')
  return { answer: null, events }
}

/** Takes a user out of all their groups, inside the transaction that ends their account. Gives what happened. */
export function leaveAllGroups(trx: Db, userId: string): Promise<HearthEvent[]> {
  return takeOut(trx, userId, null)
}

/** Takes a user out of one group or (null) of all. Gives what happened: nothing when they are in none. */
async function takeOut(trx: Db, userId: string, roomId: string | null): Promise<HearthEvent[]> {
  const left = await lockGroupsOf(trx, userId, roomId)
  if (left.length === 0) return []
  await deleteRecipient(trx, userId, left)
  await passGroupsOn(trx, userId, left)
  const empty = await listEmptyRoomIds(trx, left)
  if (empty.length > 0) {
    await discardRoomFiles(trx, empty)
    await deleteRooms(trx, empty)
  }
  return left.flatMap((room_id) => departure(room_id, userId, empty.includes(room_id)))
}

function departure(room_id: string, user_id: string, isLast: boolean): HearthEvent[] {
  const gone: HearthEvent = { type: 'private_room_left', room_id, user_id }
  return isLast ? [gone] : [gone, { type: 'room_updated', room_id, house_id: null }]
}
