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
 * Whether somebody may make such a role: below themself, of bits they hold (docs/permissions.md#effective-permissions).
 */
export function canCreateRole(caller: HouseContext, role: Ranked): boolean {
  return canHandleRole(caller, role) && canChangeBits(caller, noBits, role)
}

/** Whether somebody may turn a role into another: below themself before and after, and only bits they hold change. */
export function canEditRole(caller: HouseContext, before: Ranked, after: Ranked): boolean {
  return (
    canHandleRole(caller, before) && outranks(caller, after.position) && canChangeBits(caller, before, after)
  )
}

/** Whether somebody may give, take or delete a role. Its bits do not matter, only its rank. */
export function canHandleRole(caller: HouseContext, role: { position: number }): boolean {
  return hasPermission(caller, permission.MANAGE_ROLES) && outranks(caller, role.position)
}
