import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** The id of the message of a room with so many before it, of those behind an id; null when there are fewer. */
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

/** Removes the messages of a room behind one id, up to another. */
export async function deleteMessagesBetween(
  db: Db,
  roomId: string,
  after: string,
  last: string,
): Promise<void> {
  await sql`
    delete from messages where room_id = ${roomId} and id > ${after} and id <= ${last}`.execute(db)
}

/** Removes the mentions in these messages. */
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
