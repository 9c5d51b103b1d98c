import type { Db } from '../db/client.ts'
import type { EventOf } from '../events/events.ts'
import { gatewayMessage } from './forms.ts'
import { findSpeaker, listMessagesBetween, type MessageRow } from './queries.ts'

/** The messages of a room between two ids, which are missing. */
export type Gap = { room_id: string; house_id: string | null; after: string; before: string }

/** The `message_created` events of the messages in a gap, as these are now: oldest first, at most `limit`. */
export async function listMissed(
  db: Db,
  gap: Gap,
  limit: number,
  origin: string,
): Promise<EventOf<'message_created'>[]> {
  const rows = await listMessagesBetween(db, { ...gap, limit })
  return Promise.all(rows.map((row) => createdAnew(db, row, gap.house_id, origin)))
}

/** The `message_created` event of a message, as it is now. */
export async function createdAnew(
  db: Db,
  row: MessageRow,
  house_id: string | null,
  origin: string,
): Promise<EventOf<'message_created'>> {
  const { room_id } = row
  const find = (user_id: string) => findSpeaker(db, { room_id, user_id })
  const [author, ...mentioned] = await Promise.all([find(row.author_id), ...row.mentions.map(find)])
  const people = { author: author!, mentioned: mentioned.filter((user) => user !== undefined) }
  return {
    type: 'message_created',
    room_id,
    house_id,
    message: gatewayMessage(row, { house_id, origin, ...people }),
  }
}
