import { type RawBuilder, sql } from 'kysely'
import { type Db, isDistributed } from '../../database/client.ts'
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
    ), stored as materialized (
      select house_id, sum((attachment->>'size')::bigint)::float8 as bytes from messages
      where house_id = any(array(select id from page)) and attachment is not null group by house_id
    ) ${isDistributed(db) ? withCounts : sql``}
    select page.*,
      ${compactUserJson} as owner,
      (select count(*)::integer from members where members.house_id = page.id) as member_count,
      ${isDistributed(db) ? countOfShards : countOfHouse} as messages,
      coalesce(bytes, 0) as storage_bytes,
      (select max_age from house_retention where house_retention.house_id = page.id) as max_age
    from page join users on users.id = page.owner_id left join stored on stored.house_id = page.id
    order by page.id`.execute(db)
  return rows
}

/** Stops counting early, which is for each house a query of its own. */
const countOfHouse = sql`(
  select count(*)::integer from (
    select 1 from messages where messages.house_id = page.id limit ${sql.lit(maxCounted)}) as counted)`

/** All are counted, on all workers at once: where messages are distributed, no query runs for each house. */
const withCounts = sql`, counted as materialized (
  select house_id, count(*) as messages from messages where house_id = any(array(select id from page)) group by house_id
)`
const countOfShards = sql`coalesce((
  select least(counted.messages, ${sql.lit(maxCounted)})::integer from counted where counted.house_id = page.id), 0)`

function fits(q: string): RawBuilder<unknown> {
  return sql`(id::text = ${q} or position(${q.toLowerCase()} in lower(name)) > 0)`
}
