import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Outcome } from '../events/bus.ts'
import { isGreaterId, nobodysId } from '../ids.ts'
import { reachRoom } from '../rooms/access-operations.ts'
import { canRead } from '../rooms/permissions.ts'
import { findReadState, listReadStateRows, moveReadState } from './queries.ts'
import type { Acked, ReadStates } from './schemas.ts'

/**
 * Acks a room up to a message, which may be gone since; an older one changes nothing (PROTOCOL 4.13). Throws
 * `room_not_found`, and `message_not_found` for an id that no message of the room can have had yet.
 */
export async function ackMessage(
  db: Db,
  userId: string,
  room_id: string,
  messageId: string,
): Promise<Outcome<Acked>> {
  const { last_message_id } = await reachRoom(db, room_id, userId)
  const isKnown = messageId !== nobodysId && !isGreaterId(messageId, last_message_id ?? nobodysId)
  if (!isKnown) throw new ApiError('message_not_found')
  // Without a transaction, as acks are many: should this not be answered, the next one tells where the user is.
  const moved = await moveReadState(db, userId, room_id, messageId)
  const state = moved ?? (await findReadState(db, userId, room_id))
  if (!state) throw new ApiError('room_not_found')
  const answer = { room_id, ...state }
  return { answer, events: moved ? [{ type: 'read_state_updated', user_id: userId, ...answer }] : [] }
}

/** The read states of a user, by room: of the rooms they can read now, and have acked or are mentioned in. */
export async function listReadStates(db: Db, userId: string): Promise<ReadStates> {
  const rows = await listReadStateRows(db, userId)
  const states = rows.flatMap((row) => {
    const { room_id, message_id, mention_count } = row
    if (!canRead(row) || (message_id === null && mention_count === 0)) return []
    return [[room_id, { message_id: message_id ?? nobodysId, mention_count }] as const]
  })
  return Object.fromEntries(states)
}
