import type { Db } from '../db/client.ts'
import type { EventOf } from '../events/events.ts'
import { editedGatewayMessage, gatewayMessage } from './forms.ts'
import { findMessage, findSpeaker, listMessagesBetween, type MessageRow } from './queries.ts'

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
  const message = gatewayMessage(row, { house_id, origin, ...(await peopleIn(db, row)) })
  return { type: 'message_created', room_id, house_id, message }
}

/** The `message_updated` event of a message, as it is now; undefined when it is gone. */
export async function editedAnew(
  db: Db,
  { room_id, house_id, message: { id } }: EventOf<'message_updated'>,
  origin: string,
): Promise<EventOf<'message_updated'> | undefined> {
  const row = await findMessage(db, room_id, id)
  if (!row) return undefined
  const message = editedGatewayMessage(row, { house_id, origin, ...(await peopleIn(db, row)) })
  return { type: 'message_updated', room_id, house_id, message }
}

async function peopleIn(db: Db, { room_id, author_id, mentions }: MessageRow) {
  const find = (user_id: string) => findSpeaker(db, { room_id, user_id })
  const [author, ...mentioned] = await Promise.all([author_id, ...mentions].map(find))
  return { author: author!, mentioned: mentioned.filter((user) => user !== undefined) }
}
