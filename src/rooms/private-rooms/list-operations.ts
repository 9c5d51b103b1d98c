import type { TurnTaker } from '../../auth/queries.ts'
import { encodeList, queueLargeList } from '../../concurrency/large-lists.ts'
import type { Db } from '../../database/client.ts'
import { listGatewayUsers } from '../../users/queries.ts'
import type { Room } from '../schemas.ts'
import { serializeRoom } from '../serializers.ts'
import { listPrivateRoomPlaces, listPrivateRoomsById, type RoomPlace } from './queries.ts'

/** Participants of the rooms of one statement: at most 2 MB, if all profiles have the greatest size. */
const batchParticipants = 500

/**
 * The private rooms of a user with activity before `before`, latest first, as JSON: at most `limit`, and at most 3.5 MiB
 * (docs/api.md#private-rooms). Throws `unavailable` if too many lists of this user, or of all users, wait.
 */
export function listOwnPrivateRooms(
  db: Db,
  { id: userId, owner_id }: TurnTaker,
  page: { before: string; limit: number },
): Promise<Buffer> {
  return queueLargeList(owner_id, async () => {
    return encodeList(readPrivateRooms(db, userId, await listPrivateRoomPlaces(db, userId, page)))
  })
}

/** Yields these rooms in batches, without those that the user has left. */
export async function* readPrivateRooms(
  db: Db,
  userId: string,
  places: readonly RoomPlace[],
): AsyncGenerator<Room> {
  for (const batch of inBatches(places)) {
    const rows = await listPrivateRoomsById(
      db,
      batch.map((place) => place.id),
    )
    const users = await listGatewayUsers(db, [...new Set(rows.flatMap((row) => row.participant_ids))])
    const rowsById = new Map(rows.map((row) => [row.id, row]))
    const usersById = new Map(users.map((user) => [user.id, user]))
    yield* batch.flatMap(({ id, last_message_id }) => {
      const row = rowsById.get(id)
      if (!row?.participant_ids.includes(userId)) return []
      const participants = row.participant_ids.map((each) => usersById.get(each)!)
      // As read with the order of the rooms: clients take the start of the next page from it.
      return [serializeRoom({ ...row, last_message_id, participants }, userId)]
    })
  }
}

/** Batches of rooms with at most `batchParticipants` participants together, or of one room. */
function inBatches(places: readonly RoomPlace[]): RoomPlace[][] {
  const batches: RoomPlace[][] = []
  let left = 0
  for (const place of places) {
    if (place.participants > left) {
      batches.push([])
      left = batchParticipants
    }
    batches.at(-1)!.push(place)
    left -= place.participants
  }
  return batches
}
