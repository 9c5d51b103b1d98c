import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { findMembership, lockHouse } from '../houses/queries.ts'
import { lockRoom } from './house-rooms/queries.ts'
import { canRead, readableRooms } from './permissions.ts'
import { findRoomAccess, findRoomRights, type RoomAccessRow } from './queries.ts'

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

/**
 * Which of these rooms a user can read. For many rooms it costs less than an access to each: the rooms are read once, and
 * the membership once per house.
 */
export async function listReadable(
  db: Db,
  user_id: string,
  roomIds: readonly string[],
): Promise<Set<string>> {
  const found = await findRoomRights(db, roomIds)
  const rooms = roomIds.flatMap((id) => found.get(id) ?? [])
  const readable = await Promise.all(
    Array.from(
      Map.groupBy(rooms, (room) => room.house_id),
      async ([house_id, ofHouse]) => {
        if (house_id === null) return listReadablePrivate(db, user_id, ofHouse)
        const member = await findMembership(db, { house_id, user_id })
        return member ? readableRooms(member, ofHouse) : []
      },
    ),
  )
  return new Set(readable.flat().map((room) => room.id))
}

async function listReadablePrivate<Row extends { id: string }>(
  db: Db,
  user_id: string,
  rooms: readonly Row[],
) {
  const accesses = await Promise.all(rooms.map(({ id }) => findRoomAccess(db, { room_id: id, user_id })))
  return rooms.filter((_room, n) => canRead(accesses[n]))
}
