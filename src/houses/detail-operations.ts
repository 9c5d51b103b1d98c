import type { TurnTaker } from '../auth/queries.ts'
import { queueLargeList } from '../concurrency/large-lists.ts'
import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { readableRooms } from '../rooms/permissions.ts'
import { listHouseRooms } from '../rooms/queries.ts'
import type { Room } from '../rooms/schemas.ts'
import { serializeRoom } from '../rooms/serializers.ts'
import { requireHouse } from './access-operations.ts'
import { findHouseContents } from './contents-queries.ts'
import type { Membership } from './queries.ts'
import type { HouseDetail } from './schemas.ts'
import { serializeHouseDetail } from './serializers.ts'

/** A member, and whose turn their request takes. */
export type MemberInTurn = Membership & Pick<TurnTaker, 'owner_id'>

/**
 * The house detail for a member (docs/resources.md#houses). Throws `house_not_found`, and `unavailable` if too many
 * lists of this user, or of all users, wait.
 */
export function getHouseDetail(db: Db, caller: MemberInTurn): Promise<HouseDetail> {
  return queueLargeList(caller.owner_id, async () => {
    const membership = await requireHouse(db, caller)
    const contents = await findHouseContents(db, membership.house_id)
    if (!contents) throw new ApiError('house_not_found')
    return serializeHouseDetail(contents, membership)
  })
}

/** The rooms of a house that a member can read, by position, then id. Throws as `getHouseDetail`. */
export function listReadableRooms(db: Db, caller: MemberInTurn): Promise<Room[]> {
  return queueLargeList(caller.owner_id, async () => {
    const membership = await requireHouse(db, caller)
    const rooms = readableRooms(membership, await listHouseRooms(db, membership.house_id))
    return rooms.map((row) => serializeRoom(row, membership.user_id))
  })
}
