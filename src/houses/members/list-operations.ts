import { encodeList, queueLargeList } from '../../concurrency/large-lists.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { requireHouse } from '../access-operations.ts'
import type { MemberInTurn } from '../detail-operations.ts'
import { canSeeBotOwners } from '../permissions.ts'
import type { Membership, MembershipRow } from '../queries.ts'
import { findNameMatches, listMembersWithRoleIds, type MemberSlice } from './page-queries.ts'
import { findMember, listBotOwners } from './queries.ts'
import { attachRoles } from './role-queries.ts'
import type { ListedMember, Member } from './schemas.ts'
import { serializeMember } from './serializers.ts'

/** Members per statement: at most 2 MB, if all profiles have the greatest size. */
const batchSize = 250

/** `extended`: whether the members have the key of extended clients. */
type MemberPage = { after: string; limit: number; prefix?: string; extended: boolean }

/**
 * The members of the caller's house whose user id is greater than `after`, by user id, as JSON: at most `limit`, and at
 * most 3.5 MiB. With `prefix` only those whose name or username begins with it, in either case. Throws
 * `house_not_found`, and `unavailable` if too many lists of the caller, or of all users, wait.
 */
export function listHouseMembers(db: Db, caller: MemberInTurn, page: MemberPage): Promise<Buffer> {
  return queueLargeList(caller.owner_id, async () => {
    return encodeList(readMembers(db, await requireHouse(db, caller), page))
  })
}

async function* readMembers(
  db: Db,
  by: MembershipRow,
  { after, limit, prefix = '', extended }: MemberPage,
): AsyncGenerator<ListedMember> {
  const named = prefix === '' ? undefined : await findNameMatches(db, prefix)
  let last = after
  for (let left = limit; left > 0; left -= batchSize) {
    const wanted = Math.min(left, batchSize)
    const members = await listMemberSlice(db, by.house_id, { after: last, limit: wanted, named })
    yield* extended ? await withOwners(db, by, members) : members
    if (members.length < wanted) return
    last = members.at(-1)!.user_id
  }
}

/** A slice of the members of a house, by user id. */
export async function listMemberSlice(db: Db, houseId: string, slice: MemberSlice): Promise<Member[]> {
  return (await attachRoles(db, await listMembersWithRoleIds(db, houseId, slice))).map(serializeMember)
}

/** A member of the caller's house. Throws `house_not_found`, `member_not_found`. */
export async function getMember(
  db: Db,
  caller: Membership,
  { user_id, extended }: { user_id: string; extended: boolean },
): Promise<ListedMember> {
  const by = await requireHouse(db, caller)
  const row = await findMember(db, { house_id: by.house_id, user_id })
  if (!row) throw new ApiError('member_not_found')
  const member = serializeMember(row)
  return extended ? (await withOwners(db, by, [member]))[0]! : member
}

/** Adds the owner of each bot to members: null for people, and for all if the caller may not see owners. */
async function withOwners(db: Db, by: MembershipRow, members: readonly Member[]): Promise<ListedMember[]> {
  const bots = members.filter(({ user }) => user.bot).map(({ id }) => id)
  const owners = await listBotOwners(db, canSeeBotOwners(by) ? bots : [])
  return members.map((member) => ({ ...member, owner_id: owners.get(member.id) ?? null }))
}
