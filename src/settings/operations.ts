import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { commit, type Outcome } from '../events/commit.ts'
import { requireRoomAccess } from '../rooms/access-operations.ts'
import { findSettings, upsertRoomOverride, upsertSettings } from './queries.ts'
import type { EditSettings, Settings } from './schemas.ts'

/** Updates the given settings of the caller (docs/api.md#settings). No event if nothing changes. */
export async function editSettings(
  db: Db,
  user_id: string,
  fields: EditSettings,
): Promise<Outcome<Settings>> {
  return commit(db, async (trx) => {
    const isChange = await upsertSettings(trx, user_id, fields)
    const answer = await findSettings(trx, user_id)
    return { answer, events: isChange ? [{ type: 'settings_updated', user_id }] : [] }
  })
}

/** Sets the caller's notification preference for a room that they can read. Throws `room_not_found`. */
export async function setRoomOverride(
  db: Db,
  override: { user_id: string; room_id: string; notification_preference: number },
): Promise<Outcome<{ room_id: string; notification_preference: number }>> {
  const { user_id, room_id, notification_preference } = override
  await requireRoomAccess(db, room_id, user_id)
  return commit(db, async (trx) => {
    const isChange = await upsertRoomOverride(trx, override)
    if (isChange === undefined) throw new ApiError('room_not_found')
    const answer = { room_id, notification_preference }
    return { answer, events: isChange ? [{ type: 'settings_updated', user_id }] : [] }
  })
}
