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
 * A search with few matches can take seconds. Two at a time, of different users, leave the other database connections to
 * other requests.
 */
const queueSearch = createFairQueue({ atOnce: 2, waiting: 64 })

/**
 * The matching messages of a room, newest first. Throws `room_not_found`, and `unavailable` if too many searches of this
 * user, or of all users, wait.
 */
export async function searchRoom(db: Db, userId: string, roomId: string, wanted: Wanted) {
  await requireRoomAccess(db, roomId, userId)
  return queueSearch(userId, () => searchMessages(db, { ...wanted, room_ids: [roomId] }))
}

/**
 * The matching messages of all rooms of a house that the user can read, newest first. Throws `house_not_found`, and
 * `unavailable` as `searchRoom`.
 */
export async function searchHouse(db: Db, userId: string, houseId: string, wanted: Wanted) {
  await requireHouse(db, { house_id: houseId, user_id: userId })
  const rooms = (await listRoomAccessInHouse(db, userId, houseId)).filter(canRead).sort(byLatestMessage)
  const room_ids = rooms.map((room) => room.room_id)
  return queueSearch(userId, () => searchMessages(db, { ...wanted, room_ids }))
}

function byLatestMessage(one: RoomAccessRow, other: RoomAccessRow): number {
  return compareIds(other.last_message_id ?? unknownId, one.last_message_id ?? unknownId)
}
