import {
  type AllowDeny,
  canChangeBits,
  type HouseFacts,
  holds,
  noBits,
  outranks,
  permission,
} from '../houses/permissions.ts'

type Ranked = AllowDeny & { position: number }

/** Whether somebody may make such a role: below themself, of bits they hold (PROTOCOL 2.3). */
export function canCreateRole(caller: HouseFacts, role: Ranked): boolean {
  return canHandleRole(caller, role) && canChangeBits(caller, noBits, role)
}

/** Whether somebody may turn a role into another: below themself before and after, and only bits they hold change. */
export function canEditRole(caller: HouseFacts, before: Ranked, after: Ranked): boolean {
  return (
    canHandleRole(caller, before) && outranks(caller, after.position) && canChangeBits(caller, before, after)
  )
}

/** Whether somebody may give, take or delete a role. Its bits do not matter, only its rank. */
export function canHandleRole(caller: HouseFacts, role: { position: number }): boolean {
  return holds(caller, permission.MANAGE_ROLES) && outranks(caller, role.position)
}
