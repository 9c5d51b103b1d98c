import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { changesBetween, commitAudited } from '../../houses/audit-log/operations.ts'
import type { AuditEntry } from '../../houses/audit-log/queries.ts'
import { findMember } from '../../houses/members/queries.ts'
import {
  type AllowDeny,
  canChangeBits,
  changedBits,
  hasBits,
  noBits,
  permission,
} from '../../houses/permissions.ts'
import { findRole } from '../../houses/roles/queries.ts'
import { shareRoomLock } from '../access-operations.ts'
import { deleteOverride, hasOverrides, updateRoomDefaults, upsertOverride } from '../house-rooms/queries.ts'
import type { SetOverride } from '../house-rooms/schemas.ts'
import { houseContext, permissionsInRoom } from '../permissions.ts'
import { findRoom, type OverrideRow, type RoomAccessRow, type RoomRow } from '../queries.ts'
import type { Room } from '../schemas.ts'
import { serializeRoom } from '../serializers.ts'

const { MANAGE_ROOMS, MANAGE_USER_OVERRIDES, READ_MESSAGES } = permission
const roleOverride = 0
/** Overrides of all rooms of a house together (docs/api.md#counts-and-sizes). A house that has more keeps them. */
export const maxOverrides = 5_000

/**
 * Sets the default permission override of a house room (docs/api.md#rooms). Throws `no_permission`, and as
 * `withRoomLock`.
 */
export function editDefaultPermissions(
  db: Db,
  access: RoomAccessRow,
  after: AllowDeny,
  reason: string | null,
): Promise<Outcome<Room>> {
  return withRoomLock(db, access, reason, async (trx, row, caller) => {
    const before = { allow: row.default_allow, deny: row.default_deny }
    requireOverridePermission(caller, MANAGE_ROOMS, before, after)
    await updateRoomDefaults(trx, row.id, after)
    const key = 'default_permission_override'
    return { key, before, after, events: changeEvents(access, before, after, null) }
  })
}

/**
 * Sets the override of a role of the house (type 0) or of a member (type 1) in a room (docs/api.md#rooms). Throws
 * `role_not_found`, `member_not_found`, `no_permission`, `limit_reached`, and as `withRoomLock`.
 */
export function setOverride(
  db: Db,
  access: RoomAccessRow,
  targetId: string,
  { type, allow, deny }: SetOverride,
  reason: string | null,
): Promise<Outcome<Room>> {
  return withRoomLock(db, access, reason, async (trx, row, caller) => {
    await requireTarget(trx, row.house_id!, targetId, type)
    const present = row.permission_overrides?.[targetId]
    const [before, after] = [present ?? noBits, { id: targetId, type, allow, deny }]
    requireOverridePermission(caller, requiredBit(type), before, after)
    if (!present && (await hasOverrides(trx, row.house_id!, maxOverrides))) throw limitReached('overrides')
    await upsertOverride(trx, row.id, after)
    const events = changeEvents(access, before, after, usersOf(after))
    // A new override that changes no bit is still one more in the room.
    const isChange = events.length > 0 || !present
    return {
      key: `permission_overrides.${targetId}`,
      before: present ?? null,
      after,
      events: isChange && events.length === 0 ? [roomUpdated(access)] : events,
    }
  })
}

/** Removes an override, if there is one. Throws `no_permission`, and as `withRoomLock`. */
export function removeOverride(
  db: Db,
  access: RoomAccessRow,
  targetId: string,
  reason: string | null,
): Promise<Outcome<Room>> {
  return withRoomLock(db, access, reason, async (trx, row, caller) => {
    const before = row.permission_overrides?.[targetId]
    if (!before) {
      // The type of a missing override is unknown: the permission for either type suffices.
      const mayRemoveSome = (permissionsInRoom(caller) & (MANAGE_ROOMS | MANAGE_USER_OVERRIDES)) !== 0
      if (!mayRemoveSome) throw new ApiError('no_permission')
      return undefined
    }
    requireOverridePermission(caller, requiredBit(before.type), before, noBits)
    await deleteOverride(trx, row.id, targetId)
    const events = changeEvents(access, before, noBits, usersOf(before))
    return {
      key: `permission_overrides.${targetId}`,
      before,
      after: null,
      events: events.length > 0 ? events : [roomUpdated(access)],
    }
  })
}

/** Of the defaults without a type. */
type Setting = AllowDeny & { type?: number }

/** What became of the defaults or of one override of a room, by the name that the audit log gives it. */
type OverrideChange = {
  key: string
  before: Setting | null
  after: Setting | null
  events: HearthEvent[]
}

/**
 * Locks a house room, runs `edit`, and returns the room afterwards with the events. `caller` is the caller's access under
 * the lock. Throws `method_not_allowed_on_room_type` for a private room, and `room_not_found` if the caller has lost
 * access.
 */
async function withRoomLock(
  db: Db,
  access: RoomAccessRow,
  reason: string | null,
  edit: (trx: Db, row: RoomRow, caller: RoomAccessRow) => Promise<OverrideChange | undefined>,
): Promise<Outcome<Room>> {
  if (access.house_id === null) throw new ApiError('method_not_allowed_on_room_type')
  return commitAudited(db, { ...access, reason }, async (trx) => {
    const caller = await shareRoomLock(trx, access)
    const change = await edit(trx, (await findRoom(trx, access.room_id))!, caller)
    const answer = serializeRoom((await findRoom(trx, access.room_id))!, access.user_id)
    return { answer, events: change?.events ?? [], audit: change ? overrideChanged(access, change) : [] }
  })
}

function overrideChanged(access: RoomAccessRow, { key, before, after }: OverrideChange): AuditEntry[] {
  const changes = changesBetween({ [key]: settingOf(before) }, { [key]: settingOf(after) }, [key])
  if (changes.length === 0) return []
  const action = after === null ? 'override_removed' : 'override_updated'
  return [{ action, target_type: 'room', target_id: access.room_id, changes }]
}

function settingOf(setting: Setting | null): Setting | null {
  if (setting === null) return null
  const { type, allow, deny } = setting
  return type === undefined ? { allow, deny } : { type, allow, deny }
}

async function requireTarget(trx: Db, houseId: string, targetId: string, type: number): Promise<void> {
  if (type === roleOverride) {
    if (!(await findRole(trx, houseId, targetId))) throw new ApiError('role_not_found')
  } else if (!(await findMember(trx, { house_id: houseId, user_id: targetId }))) {
    throw new ApiError('member_not_found')
  }
}

/** The permission bit for changes of overrides of a type. */
function requiredBit(type: number): number {
  return type === roleOverride ? MANAGE_ROOMS : MANAGE_USER_OVERRIDES
}

/** The users for whom the readable rooms may change: a member, or all (null) for a role. */
function usersOf({ id, type }: OverrideRow): string[] | null {
  return type === roleOverride ? null : [id]
}

/**
 * Throws `no_permission` unless the caller has `bit` in the room, and in the house every bit that changes
 * (docs/permissions.md#rank).
 */
function requireOverridePermission(
  access: RoomAccessRow,
  bit: number,
  before: AllowDeny,
  after: AllowDeny,
): void {
  const member = houseContext(access)
  if (!member || !hasBits(permissionsInRoom(access), bit) || !canChangeBits(member, before, after)) {
    throw new ApiError('no_permission')
  }
}

function changeEvents(
  access: RoomAccessRow,
  before: AllowDeny,
  after: AllowDeny,
  userIds: string[] | null,
): HearthEvent[] {
  const changed = changedBits(before, after)
  if (changed === 0) return []
  const events: HearthEvent[] = [roomUpdated(access)]
  if (hasBits(changed, READ_MESSAGES)) {
    events.push({ type: 'visibility_changed', house_id: access.house_id!, user_ids: userIds })
  }
  return events
}

function roomUpdated({ room_id, house_id }: RoomAccessRow): HearthEvent {
  return { type: 'room_updated', room_id, house_id }
}
