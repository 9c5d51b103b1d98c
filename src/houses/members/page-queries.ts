import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { type MemberWithRoleIds, memberWithRoleIdsColumns } from './role-queries.ts'

/** Up to so many users of the installation, name matches are looked up by id. */
const maxNameMatches = 1_000

/** Appended to a prefix, the upper bound of all names with it: no name is longer than 64 code points. */
const greatestSuffix = '\u{10ffff}'.repeat(64)

/**
 * The ids of the users whose name or username begins with a prefix, or `many`. Case is ignored; beyond ASCII only if the
 * locale of the database knows the letters.
 */
type NameMatches = { prefix: string; ids: string[] | 'many' }

/** Finds the users of the installation whose name or username begins with a prefix. */
export async function findNameMatches(db: Db, prefix: string): Promise<NameMatches> {
  const most = sql.lit(maxNameMatches)
  const { rows } = await sql<{ id: string }>`
    (select id from users where ${hasPrefix(sql`users.username`, prefix)} limit ${most})
    union all (select id from users where ${hasPrefix(sql`lower(users.name)`, prefix)} limit ${most})`.execute(
    db,
  )
  return { prefix, ids: rows.length >= maxNameMatches ? 'many' : rows.map((row) => row.id) }
}

/** A slice of the members of a house, by user id; `named` and `among` (user ids) filter it. */
export type MemberSlice = { after: string; limit: number; named?: NameMatches; among?: readonly string[] }

/** The members of a house whose user id is greater than `after`, by user id. */
export async function listMembersWithRoleIds(
  db: Db,
  houseId: string,
  { after, limit, named, among }: MemberSlice,
): Promise<MemberWithRoleIds[]> {
  const { rows } = await sql<MemberWithRoleIds>`
    select ${memberWithRoleIdsColumns}
    from members join users on users.id = members.user_id
    where members.house_id = ${houseId} and members.user_id > ${after} ${named ? isNamed(named) : sql``}
      ${among ? isAmong(among) : sql``}
    order by members.user_id limit ${limit}`.execute(db)
  return rows
}

function isAmong(ids: readonly string[]): RawBuilder<unknown> {
  return sql`and members.user_id = any(${ids}::bigint[])`
}

function isNamed({ prefix, ids }: NameMatches): RawBuilder<unknown> {
  if (ids !== 'many') return isAmong(ids)
  return sql`and ((${hasPrefix(sql`users.username`, prefix)}) or (${hasPrefix(sql`lower(users.name)`, prefix)}))`
}

function hasPrefix(name: RawBuilder<unknown>, prefix: string): RawBuilder<unknown> {
  return sql`${name} ~>=~ lower(${prefix}) and ${name} ~<=~ (lower(${prefix}) || ${greatestSuffix})`
}
