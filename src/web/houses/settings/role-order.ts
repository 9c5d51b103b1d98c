import { compareIds } from '../../state/records.ts'

type Ranked = { id: string; position: number }

/** Highest first; of equal ones the older has the last word. */
export function byRank<Role extends Ranked>(roles: readonly Role[]): Role[] {
  return [...roles].sort((a, b) => b.position - a.position || compareIds(a.id, b.id))
}

/** The positions that change when roles come into this order, highest first. */
export function repositioned(roles: readonly Ranked[], order: readonly string[]): Ranked[] {
  const byId = new Map(roles.map((role) => [role.id, role.position]))
  let lowest = -1
  const positions = byRank(roles)
    .map(({ position }) => position)
    .reverse()
    .map((position) => {
      lowest = Math.max(position, lowest + 1)
      return lowest
    })
  return order
    .toReversed()
    .map((id, index) => ({ id, position: positions[index] ?? 0 }))
    .filter(({ id, position }) => position !== byId.get(id))
}
