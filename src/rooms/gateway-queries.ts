import type { Db } from '../db/client.ts'

/** The ids of the private rooms a user is in. */
export async function listPrivateRoomIds(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('room_recipients')
    .select('room_id')
    .where('user_id', '=', userId)
    .execute()
  return rows.map((row) => row.room_id)
}
