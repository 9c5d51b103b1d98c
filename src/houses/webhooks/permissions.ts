import { houseContext, permissionsInRoom } from '../../rooms/permissions.ts'
import type { RoomAccessRow } from '../../rooms/queries.ts'
import { hasBits, hasPermission, permission } from '../permissions.ts'
import type { ExecutableRow } from './queries.ts'

/**
 * Whether a member manages the webhooks of a room that they can read: with MANAGE_INTEGRATIONS in the house, unless the
 * room denies it.
 */
export function canManageWebhooks(access: RoomAccessRow): boolean {
  const context = houseContext(access)
  if (!context || !hasPermission(context, permission.MANAGE_INTEGRATIONS)) return false
  return hasBits(permissionsInRoom(access), permission.MANAGE_INTEGRATIONS)
}

/** Whether a webhook works: its creator may manage it, or none is stored. */
export function canExecute(webhook: ExecutableRow): boolean {
  const { user_id } = webhook
  if (user_id === null) return true
  return !webhook.is_creator_disabled && canManageWebhooks({ ...webhook, user_id })
}
