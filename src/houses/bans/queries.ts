import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { idTimeMs } from '../../ids.ts'
import type { Page } from '../../messages/read/page-queries.ts'
import { type GatewayUserRow, gatewayUserJson } from '../../users/queries.ts'

export type BanRow = {
  house_id: string
  user_id: string
  user: GatewayUserRow
  reason: string | null
  created_by: string
  created_at: Date
}

/**
 * A page of the bans of a house, newest first. `before`, `after` and `around` are ids of banned users; the id of a user
 * who is not banned stands for the time in the id (docs/api.md#bans).
 */
export async function listBans(db: Db, houseId: string, page: Page): Promise<BanRow[]> {
  const { rows } = await sql<BanRow>`
    with bans as materialized (${selectPage(houseId, page)})
    ${selectBans} order by bans.created_at desc, bans.user_id desc`.execute(db)
  return rows
}

function selectPage(houseId: string, { limit, before, after, around }: Page): RawBuilder<unknown> {
  const select = sql`select * from bans where house_id = ${houseId}`
  const place = sql`(created_at, user_id)`
  const newest = (condition: RawBuilder<unknown>, count: number) =>
    sql`(${select} ${condition} order by created_at desc, user_id desc limit ${count})`
  const oldestAfter = (id: string, count: number) =>
    sql`(${select} and ${place} > ${placeOf(houseId, id)} order by created_at, user_id limit ${count})`
  if (before !== undefined) return newest(sql`and ${place} < ${placeOf(houseId, before)}`, limit)
  if (after !== undefined) return oldestAfter(after, limit)
  if (around === undefined) return newest(sql``, limit)
  const older = newest(sql`and ${place} <= ${placeOf(houseId, around)}`, Math.ceil(limit / 2))
  return sql`${older} union all ${oldestAfter(around, Math.floor(limit / 2))}`
}

/** The sort key of a ban: its time and user id. */
function placeOf(houseId: string, userId: string): RawBuilder<unknown> {
  const time = new Date(idTimeMs(userId))
  return sql`(
    select coalesce((
      select created_at from bans where house_id = ${houseId} and user_id = ${userId}
    ), ${time}::timestamptz), ${userId}::bigint)`
}

/** The ban of a user from a house, or undefined. */
export async function findBan(db: Db, houseId: string, userId: string): Promise<BanRow | undefined> {
  const { rows } = await sql<BanRow>`${selectBans}
    where bans.house_id = ${houseId} and bans.user_id = ${userId}`.execute(db)
  return rows[0]
}

// A subquery, because PostgreSQL plans a join with the page as if it had a tenth of all bans.
const selectBans = sql`
  select bans.house_id, bans.user_id, bans.reason, bans.created_by, bans.created_at,
    (select ${gatewayUserJson} from users where users.id = bans.user_id) as "user"
  from bans`

/** Whether a user, or the owner of a bot, is banned from a house. */
export async function isBanned(db: Db, houseId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from bans where house_id = ${houseId} and user_id in (
      select ${userId}::bigint union all select owner_id from users where id = ${userId}
    )`.execute(db)
  return rows.length > 0
}

/** Inserts a ban with the present time, or replaces the reason of the existing one. */
export async function upsertBan(
  db: Db,
  ban: Pick<BanRow, 'house_id' | 'user_id' | 'reason' | 'created_by'>,
): Promise<void> {
  await db
    .insertInto('bans')
    .values({ ...ban, created_at: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) =>
      conflict.columns(['house_id', 'user_id']).doUpdateSet((eb) => ({ reason: eb.ref('excluded.reason') })),
    )
    .execute()
}

/** Deletes a ban. Returns whether there was one. */
export async function deleteBan(db: Db, houseId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('bans')
    .where('house_id', '=', houseId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
