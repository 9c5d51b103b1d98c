import { queueLargeList } from '../concurrency/large-lists.ts'
import type { Db } from '../database/client.ts'
import { unknownId } from '../ids.ts'
import { canRead } from '../rooms/permissions.ts'
import { listReadRooms, listReadStateRows } from './queries.ts'
import type { ReadStates } from './schemas.ts'

/** The rooms in the list: those with the newest messages that were read. */
const maxReadStates = 10_000
/**
 * Rooms that are read at once: eight megabytes, if the user has all roles of a house that has as many as there can be.
 */
const roomsAtOnce = 200

/** The read states of a user over HTTP. Throws `unavailable` when too many lists of this user, or of all, wait. */
export function listOwnReadStates(db: Db, userId: string): Promise<ReadStates> {
  return queueLargeList(userId, async () => {
    const states: ReadStates = {}
    for await (const [roomId, state] of readReadStates(db, userId)) states[roomId] = state
    return states
  })
}

/**
 * The read states of a user, bit by bit, with the ids of the rooms: of the rooms that they can read now, and have acked
 * or are mentioned in. The one with the newest message comes first.
 */
export async function* readReadStates(
  db: Db,
  userId: string,
): AsyncGenerator<[roomId: string, state: ReadStates[string]]> {
  const rooms = await listReadRooms(db, userId, maxReadStates)
  for (let start = 0; start < rooms.length; start += roomsAtOnce) {
    const part = rooms.slice(start, start + roomsAtOnce)
    const rows = new Map((await listReadStateRows(db, userId, part)).map((row) => [row.room_id, row]))
    for (const { room_id, message_id } of part) {
      const row = rows.get(room_id)
      if (!canRead(row) || (message_id === null && row.mention_count === 0)) continue
      yield [room_id, { message_id: message_id ?? unknownId, mention_count: row.mention_count }]
    }
  }
}
