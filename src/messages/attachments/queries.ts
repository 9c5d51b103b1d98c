import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { attachmentFileOfRow, notExpired, type StoredAttachment } from '../queries.ts'

/** The name of an attachment in the store. It has the key, because the message has no id before it is written. */
export function attachmentFile(roomId: string, key: string): string {
  return `attachments/${roomId}/${key}`
}

/** The attachment of a message, and the seconds until it explodes (null: never); undefined if it does not exist. */
export async function findAttachment(
  db: Db,
  roomId: string,
  messageId: string,
): Promise<(StoredAttachment & { seconds_left: number | null }) | undefined> {
  const { rows } = await sql<{ attachment: StoredAttachment; seconds_left: number | null }>`
    select attachment, floor(extract(epoch from expires_at - now()))::int as seconds_left from messages
    where room_id = ${roomId} and id = ${messageId} and attachment is not null and ${notExpired}`.execute(db)
  return rows[0] && { ...rows[0].attachment, seconds_left: rows[0].seconds_left }
}

/** Lists the attachments of rooms as discarded files. */
export async function discardRoomFiles(db: Db, roomIds: readonly string[]): Promise<void> {
  await sql`
    insert into discarded_files (name)
    select ${attachmentFileOfRow} from messages
    where room_id = any(${roomIds}::bigint[]) and attachment is not null
    on conflict do nothing`.execute(db)
}
