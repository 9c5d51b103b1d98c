import { houseContext, permissionsInRoom } from '../../rooms/permissions.ts'
import type { RoomAccessRow } from '../../rooms/queries.ts'
import { hasBits, hasPermission, permission } from '../permissions.ts'

/**
 * Whether a member manages the webhooks of a room that they can read: with MANAGE_INTEGRATIONS in the house, unless the
 * room denies it.
 */
export function canManageWebhooks(access: RoomAccessRow): boolean {
  const context = houseContext(access)
  if (!context || !hasPermission(context, permission.MANAGE_INTEGRATIONS)) return false
  return hasBits(permissionsInRoom(access), permission.MANAGE_INTEGRATIONS)
}
