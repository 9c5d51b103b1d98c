import type { Db } from '../db/client.ts'
import { greaterId, smallerId } from '../ids.ts'
import { canRead } from '../rooms/permissions.ts'
import { listFeed, listRoomAccessOf } from './feed-queries.ts'
import type { ListedMessageRow, Page } from './page-queries.ts'

/** A page of the messages of all house rooms that a user can read now (PROTOCOL 4.4), newest first. */
export async function listOwnFeed(db: Db, userId: string, page: Page): Promise<ListedMessageRow[]> {
  const rooms = (await listRoomAccessOf(db, userId)).filter(canRead)
  const spoken = rooms.filter((room) => room.last_message_id !== null)
  if (spoken.length === 0) return []
  const room_ids = spoken.map((room) => room.room_id)
  const oldest = room_ids.reduce(smallerId)
  const newest = spoken.map((room) => room.last_message_id!).reduce(greaterId)
  return listFeed(db, { user_id: userId, room_ids, oldest, newest }, page)
}
