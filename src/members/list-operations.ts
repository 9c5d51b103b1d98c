import type { Db } from '../db/client.ts'
import { reachHouse } from '../houses/access-operations.ts'
import type { Membership } from '../houses/queries.ts'
import { takeTurnWithList, writeList } from '../lists.ts'
import { listRoles, type RoleRow } from '../roles/queries.ts'
import { member } from './forms.ts'
import { listMembersWithRoleIds, listNamesakes } from './page-queries.ts'
import type { Member } from './schemas.ts'

/** Members that are read at once: two megabytes, if all of them have as much of a profile as there is. */
const membersAtOnce = 250

type MemberPage = { after: string; limit: number; start?: string }

/**
 * The members of the caller's house whose user id is greater than `after`, by user id, as JSON: `limit` of them, or as
 * many as fit into an answer. With `start` only those whose name or username begins with it. Throws `house_not_found`,
 * and `unavailable` when too many lists of the caller, or of all, wait.
 */
export function listHouseMembers(db: Db, caller: Membership, page: MemberPage): Promise<Buffer> {
  return takeTurnWithList(caller.user_id, async () => {
    const { house_id } = await reachHouse(db, caller)
    return writeList(readMembers(db, house_id, page))
  })
}

async function* readMembers(
  db: Db,
  houseId: string,
  { after, limit, start = '' }: MemberPage,
): AsyncGenerator<Member> {
  const named = start === '' ? undefined : await listNamesakes(db, start)
  let last = after
  for (let left = limit; left > 0; left -= membersAtOnce) {
    const wanted = Math.min(left, membersAtOnce)
    const rows = await listMembersWithRoleIds(db, houseId, { after: last, limit: wanted, named })
    // Read after the members: what is missing among the roles by now has been deleted since.
    const roles = rows.some((row) => row.role_ids !== null) ? await listRoles(db, houseId) : []
    const rolesOf = roleFinder(roles)
    for (const row of rows) yield member({ ...row, roles: rolesOf(row.role_ids) })
    if (rows.length < wanted) return
    last = rows.at(-1)!.user_id
  }
}

/** Finds the roles with comma-separated ids, in the order of the roles. */
function roleFinder(roles: readonly RoleRow[]): (ids: string | null) => RoleRow[] {
  const places = new Map(roles.map((role, place) => [role.id, place]))
  return (ids) => {
    const found = (ids?.split(',') ?? []).flatMap((id) => places.get(id) ?? [])
    return found.sort((one, other) => one - other).map((place) => roles[place]!)
  }
}
