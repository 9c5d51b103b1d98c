import { coalesce } from '../database/batching/coalesce.ts'
import type { Db } from '../database/client.ts'
import { isGreaterId, unknownId } from '../ids.ts'
import { listNewestMessageIds } from '../messages/read/newest-queries.ts'
import { listLastMessageIds } from '../rooms/head-queries.ts'
import { countUnreadMentions, findReadMark, listReadMarks, type ReadRoom } from './queries.ts'
import type { ReadState } from './schemas.ts'

/**
 * Up to where a user has read rooms, `"0"` where nothing: where no message after their mark is left, that is the newest
 * one ever sent, so that a client which compares it with `last_message_id` shows nothing as unread.
 */
export async function listMarks(db: Db, rooms: readonly ReadRoom[]): Promise<Map<string, string>> {
  const marks = new Map(rooms.map((room) => [room.room_id, room.message_id ?? unknownId]))
  // Read before the messages: one that is sent meanwhile is beyond it.
  const last = await listLastMessageIds(db, [...marks.keys()])
  const isBehind = ([id, mark]: [string, string]) => isGreaterId(last.get(id) ?? unknownId, mark)
  const behind = [...marks].filter(isBehind)
  const newest = await listNewestMessageIds(
    db,
    behind.map(([id]) => id),
  )
  for (const [id, mark] of behind) {
    marks.set(id, markIn({ last: last.get(id)!, newest: newest.get(id) ?? unknownId }, mark))
  }
  return marks
}

/** The mark itself, or the newest message ever sent where none after the mark is left. */
function markIn({ last, newest }: Omit<Remaining, 'room_id'>, mark: string): string {
  return isGreaterId(last, mark) && !isGreaterId(newest, mark) ? last : mark
}

/** The read state of a user in a room, and whether they have ever marked anything there as read. */
export async function findReadState(
  db: Db,
  userId: string,
  room_id: string,
): Promise<{ state: ReadState; isMarked: boolean }> {
  const mark = await findReadMark(db, { user_id: userId, room_id })
  const room = { room_id, message_id: mark ?? null }
  const [remaining, counts] = await Promise.all([
    findRemaining(db, room_id),
    countUnreadMentions(db, userId, [room]),
  ])
  const message_id = markIn(remaining, mark ?? unknownId)
  return { state: { message_id, mention_count: counts.get(room_id) ?? 0 }, isMarked: mark !== undefined }
}

/** The newest message ever sent to a room, and the newest one that is left. */
export type Remaining = { room_id: string; last: string; newest: string }

/** What is left of a room. Reads for many deleted messages share their statements. */
export const findRemaining = coalesce<string, Remaining>(async (db, roomIds) => {
  const ids = [...new Set(roomIds)]
  // In this order, for the same reason as above.
  const last = await listLastMessageIds(db, ids)
  const newest = await listNewestMessageIds(db, ids)
  return roomIds.map((room_id) => {
    return { room_id, last: last.get(room_id) ?? unknownId, newest: newest.get(room_id) ?? unknownId }
  })
})

/** Those of these users who have nothing left to read in a room, now that a message of it is gone, but had before. */
export async function listCaughtUp(
  db: Db,
  { room_id, newest }: Remaining,
  goneId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  if (isGreaterId(newest, goneId) || userIds.length === 0) return new Set()
  const keys = userIds.map((user_id) => ({ user_id, room_id }))
  const marks = await listReadMarks(db, keys)
  const isCaughtUp = (userId: string) => {
    const mark = marks.get(`${userId} ${room_id}`) ?? unknownId
    return isGreaterId(goneId, mark) && !isGreaterId(newest, mark)
  }
  return new Set(userIds.filter(isCaughtUp))
}
