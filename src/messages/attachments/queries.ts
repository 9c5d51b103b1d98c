import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { notExpired, type StoredAttachment } from '../queries.ts'

/** Where an attachment lies in the store: under its key, for the id of its message is only made when it is written. */
export function attachmentFile(roomId: string, key: string): string {
  return `attachments/${roomId}/${key}`
}

/** The attachment of a message that is there, and the seconds it has left (null: no end), or undefined. */
export async function findAttachment(
  db: Db,
  roomId: string,
  messageId: string,
): Promise<(StoredAttachment & { seconds_left: number | null }) | undefined> {
  const { rows } = await sql<{ attachment: StoredAttachment; seconds_left: number | null }>`
    select attachment, floor(extract(epoch from expires_at - now()))::int as seconds_left from messages
    where room_id = ${roomId} and id = ${messageId} and attachment is not null and ${notExpired}
      and exists (select from rooms where rooms.id = room_id)`.execute(db)
  return rows[0] && { ...rows[0].attachment, seconds_left: rows[0].seconds_left }
}
