import { sql } from 'kysely'
import { prepareRead } from '../database/batching/reads.ts'
import type { Db } from '../database/client.ts'

const readBlocked = prepareRead(({ user_id, ids }: { user_id: string; ids: readonly string[] }) => {
  return sql<{ target_id: string }>`
    select target_id from blocks where user_id = ${user_id} and target_id = any(${ids}::bigint[])`
})

/** Those of these users whom a user blocks or restricts. */
export async function findBlocked(db: Db, userId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await readBlocked(db, { user_id: userId, ids })
  return new Set(rows.map((row) => row.target_id))
}

/** All users whom a user blocks or restricts, in no order. */
export async function listBlockedIds(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ target_id: string }>`
    select target_id from blocks where user_id = ${userId}`.execute(db)
  return rows.map((row) => row.target_id)
}
