import { encodeList, queueLargeList } from '../../concurrency/large-lists.ts'
import type { Db } from '../../database/client.ts'
import { listGatewayUsers } from '../../users/queries.ts'
import type { Room } from '../schemas.ts'
import { serializeRoom } from '../serializers.ts'
import { listPrivateRoomPlaces, listPrivateRoomsById, type RoomPlace } from './queries.ts'

/** Participants of rooms that are read at once: two megabytes, if all of them have as much of a profile as there is. */
const participantsAtOnce = 500

/**
 * The private rooms of a user with activity before `before`, the latest first, as JSON: `limit` of them, or as many as
 * fit into an answer. Throws `unavailable` when too many lists of this user, or of all, wait.
 */
export function listOwnPrivateRooms(
  db: Db,
  userId: string,
  page: { before: string; limit: number },
): Promise<Buffer> {
  return queueLargeList(userId, async () => {
    return encodeList(readPrivateRooms(db, userId, await listPrivateRoomPlaces(db, userId, page)))
  })
}

/** The rooms at these places, bit by bit, without those that the user is not in any more. */
export async function* readPrivateRooms(
  db: Db,
  userId: string,
  places: readonly RoomPlace[],
): AsyncGenerator<Room> {
  for (const part of inParts(places)) {
    const rows = await listPrivateRoomsById(
      db,
      part.map((place) => place.id),
    )
    const users = await listGatewayUsers(db, [...new Set(rows.flatMap((row) => row.participant_ids))])
    const rowsById = new Map(rows.map((row) => [row.id, row]))
    const usersById = new Map(users.map((user) => [user.id, user]))
    yield* part.flatMap(({ id, last_message_id }) => {
      const row = rowsById.get(id)
      if (!row?.participant_ids.includes(userId)) return []
      const participants = row.participant_ids.map((each) => usersById.get(each)!)
      // As it was when the rooms were put in order: the next page begins before the last of them.
      return [serializeRoom({ ...row, last_message_id, participants }, userId)]
    })
  }
}

/** The places in parts of so many participants, or of one room. */
function inParts(places: readonly RoomPlace[]): RoomPlace[][] {
  const parts: RoomPlace[][] = []
  let left = 0
  for (const place of places) {
    if (place.participants > left) {
      parts.push([])
      left = participantsAtOnce
    }
    parts.at(-1)!.push(place)
    left -= place.participants
  }
  return parts
}
