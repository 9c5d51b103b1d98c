import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { lockHouse } from '../houses/queries.ts'
import { lockRoom } from './house-rooms/queries.ts'
import { canRead } from './permissions.ts'
import { findRoomAccess, type RoomAccessRow } from './queries.ts'

/**
 * The caller's access to a room of any type. Throws `room_not_found` if there is no such room, or they cannot read it.
 */
export async function requireRoomAccess(db: Db, roomId: string, callerId: string): Promise<RoomAccessRow> {
  const access = await findRoomAccess(db, { room_id: roomId, user_id: callerId })
  if (!canRead(access)) throw new ApiError('room_not_found')
  return access
}

/**
 * Locks the house of a room and then the room until the transaction ends, and returns the caller's access as read under
 * the locks: their permissions cannot change until the commit. Throws `room_not_found`.
 */
export async function shareRoomLock(
  trx: Db,
  { house_id, room_id, user_id }: RoomAccessRow,
): Promise<RoomAccessRow> {
  if (house_id !== null) await lockHouse(trx, house_id)
  await lockRoom(trx, room_id)
  return requireRoomAccess(trx, room_id, user_id)
}
