import {
  type AllowDeny,
  canChangeBits,
  type HouseContext,
  hasPermission,
  noBits,
  outranks,
  permission,
} from '../permissions.ts'

type Ranked = AllowDeny & { position: number }

/**
 * Whether a member may create a role: they rank above it and have its bits (docs/permissions.md#rank).
 */
export function canCreateRole(caller: HouseContext, role: Ranked): boolean {
  return canManageRole(caller, role) && canChangeBits(caller, noBits, role)
}

/** Whether a member may update a role: they rank above it before and after, and have every bit that changes. */
export function canEditRole(caller: HouseContext, before: Ranked, after: Ranked): boolean {
  return (
    canManageRole(caller, before) && outranks(caller, after.position) && canChangeBits(caller, before, after)
  )
}

/** Whether a member may give, remove or delete a role: they rank above it. Its bits do not matter. */
export function canManageRole(caller: HouseContext, role: { position: number }): boolean {
  return hasPermission(caller, permission.MANAGE_ROLES) && outranks(caller, role.position)
}
