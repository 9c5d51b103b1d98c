import { sql } from 'kysely'
import { coalesce } from '../database/batching/coalesce.ts'
import { prepareRead } from '../database/batching/reads.ts'
import type { Db } from '../database/client.ts'

type HeadRow = { room_id: string; last_message_id: string | null }

const readHeads = prepareRead(({ ids }: { ids: readonly string[] }) => {
  return sql<HeadRow>`select room_id, last_message_id from room_heads where room_id = any(${ids}::bigint[])`
})

/**
 * The newest message ever sent to each of these rooms, even if it is gone since; null if there was none. Rooms that do
 * not exist are missing.
 */
export async function listLastMessageIds(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map()
  const rows = await readHeads(db, { ids })
  return new Map(rows.map((row) => [row.room_id, row.last_message_id]))
}

/** The newest message ever sent to a room; null if there was none, or no such room. */
export const findLastMessageId = coalesce<string, string | null>(async (db: Db, ids) => {
  const found = await listLastMessageIds(db, [...new Set(ids)])
  return ids.map((id) => found.get(id) ?? null)
})

/** Adds to rooms their newest messages. A room that is deleted concurrently gets null. */
export async function withHeads<Row extends { id: string }>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & { last_message_id: string | null })[]> {
  const found = await listLastMessageIds(
    db,
    rows.map((row) => row.id),
  )
  return rows.map((row) => ({ ...row, last_message_id: found.get(row.id) ?? null }))
}
