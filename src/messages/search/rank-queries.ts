import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { onShardsOf } from '../queries.ts'
import type { MessageKey } from './queries.ts'

/** The folded words of messages, in no order. */
export async function listFoldedTexts(
  db: Db,
  messages: readonly MessageKey[],
): Promise<(MessageKey & { text: string })[]> {
  const roomIds = messages.map(({ room_id }) => room_id)
  const { rows } = await sql<MessageKey & { text: string }>`
    select messages.room_id, messages.id, search_text(messages.content, messages.attachment) as text
    from unnest(${roomIds}::bigint[], ${messages.map(({ id }) => id)}::bigint[]) as wanted (room_id, id)
    join messages on messages.room_id = wanted.room_id and messages.id = wanted.id
    where true ${onShardsOf(db, sql`messages`, roomIds)}`.execute(db)
  return rows
}
