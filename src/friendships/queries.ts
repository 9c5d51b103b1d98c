import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

/** Somebody who blocks (5) or restricts (4) somebody. */
export type BlockRow = { user_id: string; target_id: string; type: number; created_at: Date }

/** The blocks and restrictions between a user and others, in both directions. */
export async function listBlocksBetween(
  db: Db,
  userId: string,
  otherIds: readonly string[],
): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    select user_id, target_id, type, created_at from blocks
    where user_id = ${userId} and target_id = any(${otherIds}::bigint[])
    union all
    select user_id, target_id, type, created_at from blocks
    where target_id = ${userId} and user_id = any(${otherIds}::bigint[])`.execute(db)
  return rows
}
