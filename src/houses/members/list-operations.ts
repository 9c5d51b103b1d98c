import { encodeList, queueLargeList } from '../../concurrency/large-lists.ts'
import type { Db } from '../../database/client.ts'
import { requireHouse } from '../access-operations.ts'
import type { MemberInTurn } from '../detail-operations.ts'
import { findNameMatches, listMembersWithRoleIds, type MemberSlice } from './page-queries.ts'
import { attachRoles } from './role-queries.ts'
import type { Member } from './schemas.ts'
import { serializeMember } from './serializers.ts'

/** Members per statement: at most 2 MB, if all profiles have the greatest size. */
const batchSize = 250

type MemberPage = { after: string; limit: number; prefix?: string }

/**
 * The members of the caller's house whose user id is greater than `after`, by user id, as JSON: at most `limit`, and at
 * most 3.5 MiB. With `prefix` only those whose name or username begins with it, in either case. Throws
 * `house_not_found`, and `unavailable` if too many lists of the caller, or of all users, wait.
 */
export function listHouseMembers(db: Db, caller: MemberInTurn, page: MemberPage): Promise<Buffer> {
  return queueLargeList(caller.owner_id, async () => {
    const { house_id } = await requireHouse(db, caller)
    return encodeList(readMembers(db, house_id, page))
  })
}

async function* readMembers(
  db: Db,
  houseId: string,
  { after, limit, prefix = '' }: MemberPage,
): AsyncGenerator<Member> {
  const named = prefix === '' ? undefined : await findNameMatches(db, prefix)
  let last = after
  for (let left = limit; left > 0; left -= batchSize) {
    const wanted = Math.min(left, batchSize)
    const members = await listMemberSlice(db, houseId, { after: last, limit: wanted, named })
    yield* members
    if (members.length < wanted) return
    last = members.at(-1)!.user_id
  }
}

/** A slice of the members of a house, by user id. */
export async function listMemberSlice(db: Db, houseId: string, slice: MemberSlice): Promise<Member[]> {
  return (await attachRoles(db, await listMembersWithRoleIds(db, houseId, slice))).map(serializeMember)
}
