import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { type GatewayUserRow, gatewayUserJson } from '../users/queries.ts'

export type BanRow = {
  house_id: string
  user_id: string
  user: GatewayUserRow
  reason: string | null
  created_by: string
  created_at: Date
}

/** The bans of a house, newest first. */
export async function listBans(db: Db, houseId: string): Promise<BanRow[]> {
  const { rows } = await sql<BanRow>`${selectBans} where bans.house_id = ${houseId}
    order by bans.created_at desc, bans.user_id`.execute(db)
  return rows
}

/** The ban of a user from a house. */
export async function getBan(db: Db, houseId: string, userId: string): Promise<BanRow> {
  const { rows } = await sql<BanRow>`${selectBans}
    where bans.house_id = ${houseId} and bans.user_id = ${userId}`.execute(db)
  return rows[0]!
}

const selectBans = sql`
  select bans.house_id, bans.user_id, bans.reason, bans.created_by, bans.created_at, ${gatewayUserJson} as "user"
  from bans join users on users.id = bans.user_id`

/** Whether a user is banned from a house. */
export async function isBanned(db: Db, houseId: string, userId: string): Promise<boolean> {
  const ban = await db
    .selectFrom('bans')
    .select('house_id')
    .where('house_id', '=', houseId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return ban !== undefined
}

/** Bans a user as of now; if they are banned already, only the reason is replaced. */
export async function saveBan(
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

/** Lifts a ban. Returns whether there was one. */
export async function deleteBan(db: Db, houseId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('bans')
    .where('house_id', '=', houseId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
