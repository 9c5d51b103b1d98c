import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { changesBetween, commitAudited } from '../../houses/audit-log/operations.ts'
import type { AuditEntry } from '../../houses/audit-log/queries.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canPin } from '../../rooms/permissions.ts'
import { findMessage, lockMessage } from '../queries.ts'
import { deletePin, insertPin, listPinnedIds, lockPins } from './queries.ts'
import type { Pin } from './schemas.ts'

/** Pinned messages of a room (docs/api.md#counts-and-sizes). */
export const maxPins = 50

/** `reason`: for the audit log of the house. */
type Pinning = { room_id: string; message_id: string; reason: string | null }

/** Pins a message. Throws `room_not_found`, `message_not_found`, `no_permission`, `limit_reached`. */
export function pinMessage(db: Db, callerId: string, pinning: Pinning): Promise<Outcome<Pin>> {
  return changePin(db, callerId, pinning, true)
}

/** Unpins one. Throws the same, but for `limit_reached`. */
export function unpinMessage(db: Db, callerId: string, pinning: Pinning): Promise<Outcome<Pin>> {
  return changePin(db, callerId, pinning, false)
}

async function changePin(
  db: Db,
  callerId: string,
  { room_id, message_id, reason }: Pinning,
  pinned: boolean,
): Promise<Outcome<Pin>> {
  const access = await requireRoomAccess(db, room_id, callerId)
  if (!(await findMessage(db, { room_id, id: message_id }))) throw new ApiError('message_not_found')
  if (!canPin(access)) throw new ApiError('no_permission')
  const { house_id } = access
  return commitAudited(db, { ...access, reason }, async (trx) => {
    // Room before message, as where messages are sent and rooms deleted.
    if (!(await lockPins(trx, room_id))) throw new ApiError('room_not_found')
    if (!(await lockMessage(trx, room_id, message_id))) throw new ApiError('message_not_found')
    const ids = await listPinnedIds(trx, room_id)
    const answer = { room_id, message_id, pinned }
    if (ids.includes(message_id) === pinned) return { answer, events: [], audit: [] }
    if (pinned && ids.length >= maxPins) throw limitReached('pins')
    if (pinned) await insertPin(trx, { room_id, message_id })
    else await deletePin(trx, { room_id, message_id })
    const events: HearthEvent[] = [{ type: 'pin_updated', room_id, house_id, message_id, pinned }]
    return { answer, events, audit: [pinChanged(answer)] }
  })
}

function pinChanged({ room_id, message_id, pinned }: Pin): AuditEntry {
  const [before, after] = pinned ? [null, { room_id }] : [{ room_id }, null]
  const action = pinned ? 'message_pinned' : 'message_unpinned'
  const changes = changesBetween(before, after, ['room_id'])
  return { action, target_type: 'message', target_id: message_id, changes }
}
