import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** The id of a message of a room after skipping `skipped` messages with ids greater than `after`; null if there is none. */
export async function findMessageAhead(
  db: Db,
  roomId: string,
  after: string,
  skipped: number,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from messages where room_id = ${roomId} and id > ${after} order by id offset ${skipped} limit 1`.execute(
    db,
  )
  return rows[0]?.id ?? null
}

/** Deletes the messages of a room with ids greater than `after`, up to `last`. */
export async function deleteMessagesBetween(
  db: Db,
  roomId: string,
  after: string,
  last: string,
): Promise<void> {
  await sql`
    delete from messages where room_id = ${roomId} and id > ${after} and id <= ${last}`.execute(db)
}

/** Deletes the mentions in the messages of a room with ids greater than `after`, up to `last`. */
export async function deleteMentionsBetween(
  db: Db,
  roomId: string,
  after: string,
  last: string,
): Promise<void> {
  await sql`
    delete from mentions where room_id = ${roomId} and message_id > ${after} and message_id <= ${last}`.execute(
    db,
  )
}
