import type { Caller } from '../auth/queries.ts'
import type { Db } from '../database/client.ts'
import { ApiError, fieldsRequired } from '../errors.ts'
import { commit, type Outcome } from '../events/commit.ts'
import type { EventOf, HearthEvent } from '../events/events.ts'
import { changesBetween, commitAudited } from '../houses/audit-log/operations.ts'
import type { AuditEntry } from '../houses/audit-log/queries.ts'
import { readStateEvents } from '../read-states/mention-operations.ts'
import { requireRoomAccess } from '../rooms/access-operations.ts'
import { canEdit, canModerate, canSend } from '../rooms/permissions.ts'
import { isVisible } from '../text.ts'
import {
  findAuthor,
  findMessage,
  lockMessage,
  type MessageRow,
  replaceMentions,
  updateMessage,
} from './queries.ts'
import { listMentioned, mentionedIn } from './read/mention-operations.ts'
import { deleteWithEvents } from './removal/operations.ts'
import type { DeletedMessage, EditedGatewayMessage, Typing } from './schemas.ts'
import { serializeEditedGatewayMessage } from './serializers.ts'

/** A room (`id`) and a message in it: the parameters of a path. */
type MessagePath = { id: string; message_id: string }

/**
 * Replaces the content of a message of the caller (docs/api.md#messages). Throws `room_not_found`, `message_not_found`,
 * `no_permission`, and `invalid_schema` for blank content without an attachment.
 */
export async function editMessage(
  db: Db,
  caller: Caller,
  { id: room_id, message_id }: MessagePath,
  content: string,
  origin: string,
): Promise<Outcome<EditedGatewayMessage>> {
  const access = await requireRoomAccess(db, room_id, caller.id)
  const { house_id } = access
  const present = await findMessage(db, { room_id, id: message_id })
  if (!present) throw new ApiError('message_not_found')
  if (present.author_id !== caller.id || !canEdit(access)) throw new ApiError('no_permission')
  if (present.attachment === null && !isVisible(content)) throw fieldsRequired('content')
  const [author, mentioned] = await Promise.all([
    findAuthor(db, { room_id, user_id: caller.id }),
    listMentioned(db, room_id, mentionedIn(content, present.reply_mention)),
  ])
  const mentions = mentioned.map((user) => user.id)
  return commit(db, async (trx) => {
    const before = await lockMessage(trx, room_id, message_id)
    if (!before) throw new ApiError('message_not_found')
    const row = await updateMessage(trx, { room_id, id: message_id, content, mentions })
    const hasMentions = before.mentions.length + mentions.length > 0
    const changed = hasMentions ? await replaceMentions(trx, row) : []
    const message = serializeEditedGatewayMessage(row, { house_id, author: author!, mentioned, origin })
    const edited: HearthEvent = { type: 'message_updated', room_id, house_id, message_id, message }
    return { answer: message, events: [edited, ...(await readStateEvents(trx, changed))] }
  })
}

/**
 * Deletes a message, for its author or a moderator (docs/api.md#messages). `houseId`: the house in the path, if any.
 * Throws `room_not_found`, `message_not_found`, `no_permission`.
 */
export async function deleteMessage(
  db: Db,
  caller: Caller,
  { id: room_id, message_id }: MessagePath,
  { houseId, reason }: { houseId?: string; reason: string | null },
): Promise<Outcome<DeletedMessage>> {
  const access = await requireRoomAccess(db, room_id, caller.id)
  const { house_id } = access
  if (houseId !== undefined && house_id !== houseId) throw new ApiError('room_not_found')
  return commitAudited(db, { ...access, reason }, async (trx) => {
    const message = await lockMessage(trx, room_id, message_id)
    if (!message) throw new ApiError('message_not_found')
    if (message.author_id !== caller.id && !canModerate(access)) throw new ApiError('no_permission')
    const { events } = await deleteWithEvents(trx, [{ room_id, house_id, id: message_id }])
    return {
      answer: { id: message_id, room_id, house_id },
      events,
      audit: message.author_id === caller.id ? [] : [messageDeleted(message)],
    }
  })
}

/** The entry of a message that was deleted by somebody else than its author: author and room, without the content. */
function messageDeleted({ id, room_id, author_id }: MessageRow): AuditEntry {
  const changes = changesBetween({ room_id, author_id }, null, ['room_id', 'author_id'])
  return { action: 'message_deleted', target_type: 'message', target_id: id, changes }
}

/** Returns the typing event of the caller, which is not stored. Throws `room_not_found`, `no_permission`. */
export async function startTyping(
  db: Db,
  caller: Caller,
  room_id: string,
): Promise<{ answer: Typing; event: EventOf<'typing_started'> }> {
  const access = await requireRoomAccess(db, room_id, caller.id)
  if (!canSend(access)) throw new ApiError('no_permission')
  const { house_id } = access
  const timestamp = Date.now()
  return {
    answer: { room_id, timestamp },
    event: { type: 'typing_started', room_id, house_id, author_id: caller.id, timestamp },
  }
}
