import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { gatewayUserJson } from '../users/queries.ts'
import type { MemberRow } from './queries.ts'

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
export async function listNamesakes(db: Db, start: string): Promise<Namesakes> {
  const few = sql.lit(maxNamesakes)
  const { rows } = await sql<{ id: string }>`
    (select id from users where ${begins(sql`users.username`, start)} limit ${few})
    union all (select id from users where ${begins(sql`lower(users.name)`, start)} limit ${few})`.execute(db)
  return { start, ids: rows.length >= maxNamesakes ? 'many' : rows.map((row) => row.id) }
}

/** A member with the ids of their roles, in no order: many members have the same roles, which are read apart. */
type MemberWithRoleIds = Omit<MemberRow, 'roles'> & {
  /** Comma-separated; null for none. */
  role_ids: string | null
}

/** The members of a house whose user id is greater than `after`, by user id; with `named` only those of them. */
export async function listMembersWithRoleIds(
  db: Db,
  houseId: string,
  { after, limit, named }: { after: string; limit: number; named?: Namesakes },
): Promise<MemberWithRoleIds[]> {
  const { rows } = await sql<MemberWithRoleIds>`
    select members.house_id, members.user_id, members.joined_at, members.last_permission_update,
      ${gatewayUserJson} as "user", (
        select string_agg(role_id::text, ',') from member_roles
        where member_roles.house_id = members.house_id and member_roles.user_id = members.user_id
      ) as role_ids
    from members join users on users.id = members.user_id
    where members.house_id = ${houseId} and members.user_id > ${after} ${named ? isAmong(named) : sql``}
    order by members.user_id limit ${limit}`.execute(db)
  return rows
}

function isAmong({ start, ids }: Namesakes): RawBuilder<unknown> {
  if (ids !== 'many') return sql`and members.user_id = any(${ids}::bigint[])`
  return sql`and ((${begins(sql`users.username`, start)}) or (${begins(sql`lower(users.name)`, start)}))`
}

function begins(name: RawBuilder<unknown>, start: string): RawBuilder<unknown> {
  return sql`${name} ~>=~ lower(${start}) and ${name} ~<=~ (lower(${start}) || ${lastOfAll})`
}
