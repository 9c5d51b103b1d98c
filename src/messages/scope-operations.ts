import type { Db } from '../db/client.ts'
import { reachHouse } from '../houses/access-operations.ts'
import { greaterId, smallerId } from '../ids.ts'
import { reachRoom } from '../rooms/access-operations.ts'
import { canRead } from '../rooms/permissions.ts'
import type { ListedMessageRow, Page } from './page-queries.ts'
import {
  listFeed,
  listHouseRoomAccess,
  listRoomAccess,
  type Search,
  searchMessages,
} from './scope-queries.ts'

/** A page of the messages of all house rooms that a user can read now (PROTOCOL 4.4), newest first. */
export async function listOwnFeed(db: Db, userId: string, page: Page): Promise<ListedMessageRow[]> {
  const rooms = (await listHouseRoomAccess(db, userId)).filter(canRead)
  const spoken = rooms.filter((room) => room.last_message_id !== null)
  if (spoken.length === 0) return []
  const room_ids = spoken.map((room) => room.room_id)
  const oldest = room_ids.reduce(smallerId)
  const newest = spoken.map((room) => room.last_message_id!).reduce(greaterId)
  return listFeed(db, { user_id: userId, room_ids, oldest, newest }, page)
}

type Wanted = Omit<Search, 'room_ids'>

/** Searches a room. Throws `room_not_found`. */
export async function searchRoom(db: Db, userId: string, roomId: string, wanted: Wanted) {
  await reachRoom(db, roomId, userId)
  return searchMessages(db, { ...wanted, room_ids: [roomId] })
}

/** Searches the rooms of a house that the caller can read. Throws `house_not_found`. */
export async function searchHouse(db: Db, userId: string, houseId: string, wanted: Wanted) {
  await reachHouse(db, { house_id: houseId, user_id: userId })
  const rooms = (await listRoomAccess(db, userId, houseId)).filter(canRead)
  return searchMessages(db, { ...wanted, room_ids: rooms.map((room) => room.room_id) })
}
