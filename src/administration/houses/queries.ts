import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import type { HouseSummaryRow } from '../../houses/queries.ts'
import { type CompactUserRow, compactUserJson } from '../../users/queries.ts'
import type { AdminPage } from '../accounts/queries.ts'

/** More messages of a house are not counted. */
const maxCounted = 100_000

export type AdministeredHouseRow = HouseSummaryRow & {
  owner: CompactUserRow
  messages: number
  storage_bytes: number
  /** The age past which its messages are deleted, in seconds; null: it has none of its own. */
  max_age: number | null
}

/** The houses that fit, by id, with what is in them. */
export async function listHouses(db: Db, { q, after, limit }: AdminPage): Promise<AdministeredHouseRow[]> {
  const { rows } = await sql<AdministeredHouseRow>`
    with page as materialized (
      select * from houses where id > ${after} ${q === undefined ? sql`` : sql`and ${fits(q)}`}
      order by id limit ${limit}
    )
    select page.*,
      ${compactUserJson} as owner,
      (select count(*)::integer from members where members.house_id = page.id) as member_count,
      (select count(*)::integer from (
        select from messages where messages.house_id = page.id limit ${sql.lit(maxCounted)}) as counted) as messages,
      (select coalesce(sum((attachment->>'size')::bigint), 0)::float8 from messages
        where messages.house_id = page.id and attachment is not null) as storage_bytes,
      (select max_age from house_retention where house_retention.house_id = page.id) as max_age
    from page join users on users.id = page.owner_id
    order by page.id`.execute(db)
  return rows
}

function fits(q: string): RawBuilder<unknown> {
  return sql`(id::text = ${q} or position(${q.toLowerCase()} in lower(name)) > 0)`
}
