import type { TurnTaker } from '../auth/queries.ts'
import { queueLargeList } from '../concurrency/large-lists.ts'
import type { Db } from '../database/client.ts'
import { unknownId } from '../ids.ts'
import { listReadable } from '../rooms/access-operations.ts'
import { listJoinedRoomIds } from '../rooms/queries.ts'
import { listMarks } from './mark-operations.ts'
import { countUnreadMentions, listReadRooms, type ReadRoom } from './queries.ts'
import type { ReadStates } from './schemas.ts'

/** Rooms in the list: those with the newest read messages (docs/api.md#paging). */
const maxReadStates = 10_000
/** Rooms per statement: at most 8 MB, for a user with all roles of a house with the greatest number of roles. */
const batchSize = 200
/** Rooms without a mark that are examined together: all of most users. */
const unmarkedAtOnce = 1_000

/** The read states of a user by room id. Throws `unavailable` if too many lists of this user, or of all users, wait. */
export function listOwnReadStates(db: Db, { id: userId, owner_id }: TurnTaker): Promise<ReadStates> {
  return queueLargeList(owner_id, async () => {
    const states: ReadStates = {}
    for await (const [roomId, state] of readReadStates(db, userId)) states[roomId] = state
    return states
  })
}

/**
 * Yields the read states of a user with their room ids, newest read message first: of the rooms that the user can read
 * now, and has marked as read, is mentioned in, or whose messages are all gone. One statement reads 200 rooms.
 */
export async function* readReadStates(
  db: Db,
  userId: string,
): AsyncGenerator<[roomId: string, state: ReadStates[string]]> {
  const read = await listReadRooms(db, userId, maxReadStates)
  const rooms = [...read, ...(await listEmptied(db, userId, read))].slice(0, maxReadStates)
  for (let start = 0; start < rooms.length; start += batchSize) {
    const part = rooms.slice(start, start + batchSize)
    const ids = part.map((room) => room.room_id)
    const [readable, counts, marks] = await Promise.all([
      listReadable(db, userId, ids),
      countUnreadMentions(db, userId, part),
      listMarks(db, part),
    ])
    for (const room_id of ids) {
      const mention_count = counts.get(room_id) ?? 0
      const message_id = marks.get(room_id)!
      if (!readable.has(room_id) || (message_id === unknownId && mention_count === 0)) continue
      yield [room_id, { message_id, mention_count }]
    }
  }
}

/** The rooms of a user beside these in which messages were sent and none is left. */
async function listEmptied(db: Db, userId: string, beside: readonly ReadRoom[]): Promise<ReadRoom[]> {
  const known = new Set(beside.map((room) => room.room_id))
  const ids = await listJoinedRoomIds(db, userId, maxReadStates)
  const rooms = ids.filter((id) => !known.has(id)).map((room_id) => ({ room_id, message_id: null }))
  const emptied: ReadRoom[] = []
  for (let start = 0; start < rooms.length; start += unmarkedAtOnce) {
    const part = rooms.slice(start, start + unmarkedAtOnce)
    const marks = await listMarks(db, part)
    emptied.push(...part.filter(({ room_id }) => marks.get(room_id) !== unknownId))
  }
  return emptied
}
