import type { Db } from '../../database/client.ts'
import { findAuthor, findMessage, type MessageRow } from '../queries.ts'
import type { EditedGatewayMessage, GatewayMessage } from '../schemas.ts'
import { serializeEditedGatewayMessage, serializeGatewayMessage } from '../serializers.ts'

/** The key of a message; `house_id` is null in a private room. */
type Place = { room_id: string; house_id: string | null; message_id: string }

/** The present payload of MESSAGE_CREATE for a message; undefined if the message does not exist. */
export async function findMessageCreated(
  db: Db,
  { room_id, house_id, message_id }: Place,
  origin: string,
): Promise<GatewayMessage | undefined> {
  const row = await findMessage(db, { room_id, id: message_id })
  return row && rebuildMessageCreated(db, row, house_id, origin)
}

/** The present payload of MESSAGE_UPDATE for a message; undefined if the message does not exist. */
export async function findMessageEdited(
  db: Db,
  { room_id, house_id, message_id }: Place,
  origin: string,
): Promise<EditedGatewayMessage | undefined> {
  const row = await findMessage(db, { room_id, id: message_id })
  return row && serializeEditedGatewayMessage(row, { house_id, origin, ...(await peopleIn(db, row)) })
}

/** The payload of MESSAGE_CREATE for a row, with author and mentioned users as read now. */
export async function rebuildMessageCreated(
  db: Db,
  row: MessageRow,
  house_id: string | null,
  origin: string,
): Promise<GatewayMessage> {
  return serializeGatewayMessage(row, { house_id, origin, ...(await peopleIn(db, row)) })
}

async function peopleIn(db: Db, { room_id, author_id, mentions }: MessageRow) {
  const find = (user_id: string) => findAuthor(db, { room_id, user_id })
  const [author, ...mentioned] = await Promise.all([author_id, ...mentions].map(find))
  return { author: author!, mentioned: mentioned.filter((user) => user !== undefined) }
}
