import type { TurnTaker } from '../../auth/queries.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../database/client.ts'
import { requireHouse } from '../../houses/access-operations.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canRead } from '../../rooms/permissions.ts'
import { type ListedMessageRow, listMessages } from '../read/page-queries.ts'
import { listRoomAccessInHouse, type Search } from './queries.ts'
import { findMessages } from './walk-operations.ts'

type Wanted = Omit<Search, 'room_ids' | 'scope_id'>

/** A page of a search; `next`: the rest is before this id; undefined: there is none. */
type SearchPage = { rows: ListedMessageRow[]; next: string | undefined }

/** Two searches at a time, of different users, leave the other database connections to other requests. */
const queueSearch = createFairQueue({ atOnce: 2, waiting: 64 })

/**
 * The matching messages of a room, newest first. Throws `room_not_found`, and `unavailable` if too many searches of this
 * user, or of all users, wait.
 */
export async function searchRoom(
  db: Db,
  caller: TurnTaker,
  roomId: string,
  wanted: Wanted,
): Promise<SearchPage> {
  const { house_id } = await requireRoomAccess(db, roomId, caller.id)
  return searchRooms(db, caller, { ...wanted, scope_id: house_id ?? roomId, room_ids: [roomId] })
}

/**
 * The matching messages of all rooms of a house that the user can read, newest first. Throws `house_not_found`, and
 * `unavailable` as `searchRoom`.
 */
export async function searchHouse(
  db: Db,
  caller: TurnTaker,
  houseId: string,
  wanted: Wanted,
): Promise<SearchPage> {
  await requireHouse(db, { house_id: houseId, user_id: caller.id })
  const rooms = (await listRoomAccessInHouse(db, caller.id, houseId)).filter(canRead)
  const room_ids = rooms.map((room) => room.room_id)
  return searchRooms(db, caller, { ...wanted, scope_id: houseId, room_ids })
}

function searchRooms(db: Db, { owner_id }: TurnTaker, search: Search): Promise<SearchPage> {
  return queueSearch(owner_id, async () => {
    const { messages, next } = await findMessages(db, search)
    const [roomIds, ids] = [messages.map(({ room_id }) => room_id), messages.map(({ id }) => id)]
    return { rows: await listMessages(db, roomIds, ids), next }
  })
}
