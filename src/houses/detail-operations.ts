import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { takeTurnWithList } from '../lists.ts'
import { room } from '../rooms/forms.ts'
import { readableRooms } from '../rooms/permissions.ts'
import { listHouseRooms } from '../rooms/queries.ts'
import type { Room } from '../rooms/schemas.ts'
import { reachHouse } from './access-operations.ts'
import { findHouseContents } from './contents-queries.ts'
import { houseDetail } from './forms.ts'
import type { Membership } from './queries.ts'
import type { HouseDetail } from './schemas.ts'

/**
 * The house as one of its members sees it over HTTP. Throws `house_not_found`, and `unavailable` when too many lists of
 * this user, or of all, wait.
 */
export function showHouse(db: Db, caller: Membership): Promise<HouseDetail> {
  return takeTurnWithList(caller.user_id, async () => {
    const membership = await reachHouse(db, caller)
    const contents = await findHouseContents(db, membership.house_id)
    if (!contents) throw new ApiError('house_not_found')
    return houseDetail(contents, membership)
  })
}

/** The rooms of a house that a member can read, by position, then id. Throws as `showHouse`. */
export function listReadableRooms(db: Db, caller: Membership): Promise<Room[]> {
  return takeTurnWithList(caller.user_id, async () => {
    const membership = await reachHouse(db, caller)
    const rooms = readableRooms(membership, await listHouseRooms(db, membership.house_id))
    return rooms.map((row) => room(row, membership.user_id))
  })
}
