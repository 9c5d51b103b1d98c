import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { cleanLine, isVisible } from '../../text.ts'
import { notExpired, type StoredAttachment } from '../queries.ts'

/** The name of an attachment in the store. It has the key, because the message has no id before it is written. */
export function attachmentFile(roomId: string, key: string): string {
  return `attachments/${roomId}/${key}`
}

/**
 * A file name without invisible characters, such as the marks of direction that show `gpj.exe` as `exe.jpg`; `file` if no
 * visible one is left. Names that were stored by earlier versions may have such characters.
 */
export function visibleName(filename: string): string {
  const name = cleanLine(filename.replace(/\p{Cc}/gu, ''))
  return isVisible(name) ? name : 'file'
}

/**
 * The attachment of a message in a room that exists, and the seconds until it explodes (null: never); undefined if there
 * is none.
 */
export async function findAttachment(
  db: Db,
  roomId: string,
  messageId: string,
): Promise<(StoredAttachment & { seconds_left: number | null }) | undefined> {
  const { rows } = await sql<{ attachment: StoredAttachment; seconds_left: number | null }>`
    select attachment, floor(extract(epoch from expires_at - now()))::int as seconds_left from messages
    where room_id = ${roomId} and id = ${messageId} and attachment is not null and ${notExpired}
      and exists (select 1 from room_heads where room_heads.room_id = messages.room_id)`.execute(db)
  return rows[0] && { ...rows[0].attachment, seconds_left: rows[0].seconds_left }
}
