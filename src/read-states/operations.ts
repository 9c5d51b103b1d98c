import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/commit.ts'
import { isGreaterId, unknownId } from '../ids.ts'
import { requireRoomAccess } from '../rooms/access-operations.ts'
import { findLastMessageId } from '../rooms/head-queries.ts'
import { findReadState } from './mark-operations.ts'
import { countUnreadMentions, moveReadState } from './queries.ts'
import type { Acked } from './schemas.ts'

/**
 * Marks a room as read up to a message, which may be deleted; an older message changes nothing
 * (docs/api.md#read-states). Throws `room_not_found`, and `message_not_found` for an id beyond the newest message.
 */
export async function ackMessage(
  db: Db,
  userId: string,
  room_id: string,
  messageId: string,
): Promise<Outcome<Acked>> {
  const [, lastMessageId] = await Promise.all([
    requireRoomAccess(db, room_id, userId),
    findLastMessageId(db, room_id),
  ])
  const isReached = messageId !== unknownId && !isGreaterId(messageId, lastMessageId ?? unknownId)
  if (!isReached) throw new ApiError('message_not_found')
  const moved = await moveReadState(db, userId, room_id, messageId)
  if (moved) {
    const counts = await countUnreadMentions(db, userId, [{ room_id, message_id: messageId }])
    const answer = { room_id, message_id: messageId, mention_count: counts.get(room_id) ?? 0 }
    return { answer, events: [moved] }
  }
  const found = await findReadState(db, userId, room_id)
  if (!found.isMarked) throw new ApiError('room_not_found')
  return { answer: { room_id, ...found.state }, events: [] }
}
