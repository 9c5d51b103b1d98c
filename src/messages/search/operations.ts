import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../database/client.ts'
import { requireHouse } from '../../houses/access-operations.ts'
import { compareIds, unknownId } from '../../ids.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canRead } from '../../rooms/permissions.ts'
import type { RoomAccessRow } from '../../rooms/queries.ts'
import { listRoomAccessInHouse, type Search, searchMessages } from './queries.ts'

type Wanted = Omit<Search, 'room_ids'>

/**
 * A search through much that hardly matches takes seconds: these few leave the other connections, and most of the
 * database, to everybody else, and one of the two to other users.
 */
const takeTurn = createFairQueue({ atOnce: 2, waiting: 64 })

/**
 * The messages of a room that match, newest first. Throws `room_not_found`, and `unavailable` when too many searches of
 * this user or of all wait.
 */
export async function searchRoom(db: Db, userId: string, roomId: string, wanted: Wanted) {
  await requireRoomAccess(db, roomId, userId)
  return takeTurn(userId, () => searchMessages(db, { ...wanted, room_ids: [roomId] }))
}

/** The same for all rooms of a house that the caller can read. Throws `house_not_found` and `unavailable`. */
export async function searchHouse(db: Db, userId: string, houseId: string, wanted: Wanted) {
  await requireHouse(db, { house_id: houseId, user_id: userId })
  const rooms = (await listRoomAccessInHouse(db, userId, houseId)).filter(canRead).sort(lastWrittenInFirst)
  const room_ids = rooms.map((room) => room.room_id)
  return takeTurn(userId, () => searchMessages(db, { ...wanted, room_ids }))
}

function lastWrittenInFirst(one: RoomAccessRow, other: RoomAccessRow): number {
  return compareIds(other.last_message_id ?? unknownId, one.last_message_id ?? unknownId)
}
