import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { type MemberWithRoleIds, memberWithRoleIdsColumns } from './role-queries.ts'

/** More people than these with such a name are not looked up one by one. */
const maxNamesakes = 1_000

/** Nothing that begins with a text comes after the text and this, in the order of the indexes: no name is longer. */
const lastOfAll = '\u{10ffff}'.repeat(64)

/**
 * Whose name or username begins with a text, in either case (of letters past ASCII, where the locale of the database
 * knows them).
 */
type Namesakes = { start: string; ids: string[] | 'many' }

/** Who is called so in the whole installation: their ids where they are few. */
export async function listMembersOfName(db: Db, start: string): Promise<Namesakes> {
  const few = sql.lit(maxNamesakes)
  const { rows } = await sql<{ id: string }>`
    (select id from users where ${begins(sql`users.username`, start)} limit ${few})
    union all (select id from users where ${begins(sql`lower(users.name)`, start)} limit ${few})`.execute(db)
  return { start, ids: rows.length >= maxNamesakes ? 'many' : rows.map((row) => row.id) }
}

/** A part of the members of a house, by user id: with `named`, or `among` (user ids), only those of them. */
export type MemberSlice = { after: string; limit: number; named?: Namesakes; among?: readonly string[] }

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

function isNamed({ start, ids }: Namesakes): RawBuilder<unknown> {
  if (ids !== 'many') return isAmong(ids)
  return sql`and ((${begins(sql`users.username`, start)}) or (${begins(sql`lower(users.name)`, start)}))`
}

function begins(name: RawBuilder<unknown>, start: string): RawBuilder<unknown> {
  return sql`${name} ~>=~ lower(${start}) and ${name} ~<=~ (lower(${start}) || ${lastOfAll})`
}
