import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { canRead } from './permissions.ts'
import { findRoomAccess, type RoomAccessRow } from './queries.ts'

/** The caller's access to a room of any type. Throws `room_not_found` for one that is unknown, or that they cannot read. */
export async function reachRoom(db: Db, roomId: string, callerId: string): Promise<RoomAccessRow> {
  const access = await findRoomAccess(db, { room_id: roomId, user_id: callerId })
  if (!canRead(access)) throw new ApiError('room_not_found')
  return access
}
