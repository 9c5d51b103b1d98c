import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canSend } from '../../rooms/permissions.ts'
import type { CompactUserRow } from '../../users/queries.ts'
import { findMessage, lockMessage } from '../queries.ts'
import type { Page } from '../read/page-queries.ts'
import {
  deleteReaction,
  getReactionState,
  insertReaction,
  listReactors,
  type ReactionKey,
} from './queries.ts'
import type { Reaction } from './schemas.ts'

/** Distinct emoji on a message (docs/api.md#counts-and-sizes). */
export const maxReactionEmojis = 20

/**
 * Adds a reaction of the caller to a message. Throws `room_not_found`, `message_not_found`, `no_permission`,
 * `limit_reached`.
 */
export function addReaction(db: Db, callerId: string, key: ReactionKey): Promise<Outcome<Reaction>> {
  return changeReaction(db, callerId, key, true)
}

/** Removes one. Throws the same, but for `limit_reached`. */
export function removeReaction(db: Db, callerId: string, key: ReactionKey): Promise<Outcome<Reaction>> {
  return changeReaction(db, callerId, key, false)
}

async function changeReaction(
  db: Db,
  user_id: string,
  key: ReactionKey,
  added: boolean,
): Promise<Outcome<Reaction>> {
  const { room_id, message_id, emoji } = key
  const access = await requireRoomAccess(db, room_id, user_id)
  if (!(await findMessage(db, { room_id, id: message_id }))) throw new ApiError('message_not_found')
  if (!canSend(access)) throw new ApiError('no_permission')
  const { house_id } = access
  return commit(db, async (trx) => {
    if (!(await lockMessage(trx, room_id, message_id))) throw new ApiError('message_not_found')
    const before = await getReactionState(trx, key, user_id)
    if (before.me === added)
      return { answer: { message_id, emoji, count: before.count, me: added }, events: [] }
    if (added && before.count === 0 && before.emojis >= maxReactionEmojis) throw limitReached('reactions')
    if (added) await insertReaction(trx, key, user_id)
    else await deleteReaction(trx, key, { userId: user_id, count: before.count })
    const count = before.count + (added ? 1 : -1)
    return {
      answer: { message_id, emoji, count, me: added },
      events: [{ type: 'reaction_updated', room_id, house_id, message_id, emoji, user_id, added, count }],
    }
  })
}

/** A page of those who have reacted with an emoji. Throws `room_not_found`, `message_not_found`. */
export async function listReactionUsers(
  db: Db,
  callerId: string,
  key: ReactionKey,
  page: Page,
): Promise<CompactUserRow[]> {
  const { room_id, message_id } = key
  await requireRoomAccess(db, room_id, callerId)
  if (!(await findMessage(db, { room_id, id: message_id }))) throw new ApiError('message_not_found')
  return listReactors(db, key, page)
}
