import { encodeList, queueLargeList } from '../../concurrency/large-lists.ts'
import type { Db } from '../../database/client.ts'
import { requireHouse } from '../access-operations.ts'
import type { Membership } from '../queries.ts'
import { listMembersOfName, listMembersWithRoleIds, type MemberSlice } from './page-queries.ts'
import { attachRoles } from './role-queries.ts'
import type { Member } from './schemas.ts'
import { serializeMember } from './serializers.ts'

/** Members that are read at once: two megabytes, if all of them have as much of a profile as there is. */
const membersAtOnce = 250

type MemberPage = { after: string; limit: number; start?: string }

/**
 * The members of the caller's house whose user id is greater than `after`, by user id, as JSON: `limit` of them, or as
 * many as fit into an answer. With `start` only those whose name or username begins with it. Throws `house_not_found`,
 * and `unavailable` when too many lists of the caller, or of all, wait.
 */
export function listHouseMembers(db: Db, caller: Membership, page: MemberPage): Promise<Buffer> {
  return queueLargeList(caller.user_id, async () => {
    const { house_id } = await requireHouse(db, caller)
    return encodeList(readMembers(db, house_id, page))
  })
}

async function* readMembers(
  db: Db,
  houseId: string,
  { after, limit, start = '' }: MemberPage,
): AsyncGenerator<Member> {
  const named = start === '' ? undefined : await listMembersOfName(db, start)
  let last = after
  for (let left = limit; left > 0; left -= membersAtOnce) {
    const wanted = Math.min(left, membersAtOnce)
    const members = await listMemberSlice(db, houseId, { after: last, limit: wanted, named })
    yield* members
    if (members.length < wanted) return
    last = members.at(-1)!.user_id
  }
}

/** A part of the members of a house, by user id. */
export async function listMemberSlice(db: Db, houseId: string, slice: MemberSlice): Promise<Member[]> {
  return (await attachRoles(db, await listMembersWithRoleIds(db, houseId, slice))).map(serializeMember)
}
