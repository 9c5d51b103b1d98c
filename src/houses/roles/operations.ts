import type { Db } from '../../database/client.ts'
import { ApiError, fieldsInvalid, limitReached } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { newId } from '../../ids.ts'
import { deleteOverrides } from '../../rooms/house-rooms/queries.ts'
import { type HouseActor, withHouseLock } from '../access-operations.ts'
import { changesBetween } from '../audit-log/operations.ts'
import type { AuditAction, AuditEntry } from '../audit-log/queries.ts'
import { changedBits, isContradictory, permission } from '../permissions.ts'
import { touchPermissionsOfRole } from './member-role-queries.ts'
import { canCreateRole, canEditRole, canManageRole } from './permissions.ts'
import {
  countRoles,
  deleteRole as deleteRoleRow,
  findRole,
  insertRole,
  type RoleRow,
  updateRole,
} from './queries.ts'
import type { CreateRole, DeletedRole, EditRole, Role } from './schemas.ts'
import { serializeRole } from './serializers.ts'

/** Roles of a house (docs/api.md#counts-and-sizes). */
export const maxRoles = 250
const defaultColor = '#99aab5'
/** Bits that determine which rooms a member can read. */
const readingBits = permission.READ_MESSAGES | permission.ADMINISTRATOR

/** Creates a role (docs/api.md#roles). Throws `house_not_found`, `no_permission`, `limit_reached`. */
export async function createRole(db: Db, caller: HouseActor, fields: CreateRole): Promise<Outcome<Role>> {
  const { house_id } = caller
  const { name, position = 0, color = defaultColor, allow = 0, deny = 0 } = fields
  const row = { id: newId(), house_id, name, position, color: storedColor(color), allow, deny }
  return withHouseLock(db, caller, async (trx, membership) => {
    if (!canCreateRole(membership, row)) throw new ApiError('no_permission')
    if ((await countRoles(trx, house_id)) >= maxRoles) throw limitReached('roles')
    await insertRole(trx, row)
    return {
      answer: serializeRole(row),
      events: [{ type: 'role_created', house_id, role: serializeRole(row) }],
      audit: roleChanged('role_created', null, row),
    }
  })
}

/**
 * Updates the given fields of a role (docs/api.md#roles). Throws `house_not_found`, `role_not_found`, `no_permission`,
 * `invalid_schema`.
 */
export async function editRole(
  db: Db,
  caller: HouseActor,
  roleId: string,
  fields: EditRole,
): Promise<Outcome<Role>> {
  return withHouseLock(db, caller, async (trx, membership) => {
    const before = await requireRole(trx, membership.house_id, roleId)
    const after = { ...before, ...fields }
    if (fields.color !== undefined) after.color = storedColor(fields.color)
    if (!canEditRole(membership, before, after)) throw new ApiError('no_permission')
    // A given field may contradict the present value of the other one.
    if (isContradictory(after)) {
      throw fieldsInvalid(...(['allow', 'deny'] as const).filter((name) => name in fields))
    }
    const events = editEvents(before, after)
    if (events.length > 0) await updateRole(trx, after)
    const audit = events.length > 0 ? roleChanged('role_updated', before, after) : []
    return { answer: serializeRole(after), events, audit }
  })
}

const roleKeys = ['name', 'position', 'color', 'allow', 'deny'] as const

function roleChanged(action: AuditAction, before: RoleRow | null, after: RoleRow | null): AuditEntry[] {
  const target_id = (after ?? before)!.id
  return [{ action, target_type: 'role', target_id, changes: changesBetween(before, after, roleKeys) }]
}

/** The events of an edit, [] if nothing changed. A position determines the order in which overrides of roles apply. */
function editEvents(before: RoleRow, after: RoleRow): HearthEvent[] {
  const { house_id } = after
  if (roleKeys.every((key) => before[key] === after[key])) return []
  const events: HearthEvent[] = [{ type: 'role_updated', house_id, role: serializeRole(after) }]
  if ((changedBits(before, after) & readingBits) !== 0 || before.position !== after.position) {
    events.push({ type: 'visibility_changed', house_id, user_ids: null })
  }
  return events
}

/**
 * Deletes a role, and removes it from all members and overrides (docs/gateway.md#roles-and-visibility). Throws
 * `house_not_found`, `role_not_found`, `no_permission`.
 */
export async function deleteRole(db: Db, caller: HouseActor, roleId: string): Promise<Outcome<DeletedRole>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    const row = await requireRole(trx, house_id, roleId)
    if (!canManageRole(membership, row)) throw new ApiError('no_permission')
    await touchPermissionsOfRole(trx, house_id, roleId)
    await deleteOverrides(trx, house_id, roleId)
    await deleteRoleRow(trx, roleId)
    const events: HearthEvent[] = [
      { type: 'role_deleted', house_id, role_id: roleId },
      { type: 'visibility_changed', house_id, user_ids: null },
    ]
    return { answer: { id: roleId, house_id }, events, audit: roleChanged('role_deleted', row, null) }
  })
}

/** A role of a house. Throws `role_not_found`. */
export async function requireRole(db: Db, houseId: string, roleId: string): Promise<RoleRow> {
  const row = await findRole(db, houseId, roleId)
  if (!row) throw new ApiError('role_not_found')
  return row
}

/** The color with `#` and in lower case. */
function storedColor(color: string): string {
  return `#${color.replace('#', '').toLowerCase()}`
}
