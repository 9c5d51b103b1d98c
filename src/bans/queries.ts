import type { Db } from '../db/client.ts'

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
