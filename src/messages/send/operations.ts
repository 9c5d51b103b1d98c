import type { Caller } from '../../auth/queries.ts'
import { coalesceWrites } from '../../database/batching/coalesce-writes.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import type { Bus } from '../../events/bus.ts'
import { asId } from '../../ids.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import type { CallerInRoomRow } from '../../rooms/caller-queries.ts'
import { canAttach, canRead, canSend } from '../../rooms/permissions.ts'
import type { RoomAccessRow } from '../../rooms/queries.ts'
import { type AuthorRow, findAuthor } from '../queries.ts'
import { findReplied, type RepliedRow } from '../read/extension-queries.ts'
import { rebuildMessageCreated } from '../read/gateway-message-operations.ts'
import { listMentioned, mentionedIn } from '../read/mention-operations.ts'
import type { GatewayExtension, GatewayMessage } from '../schemas.ts'
import {
  type Delivery,
  type Draft,
  entriesOf,
  isInserted,
  type OutgoingMessage,
  writeDrafts,
} from './draft-operations.ts'
import { findMessageByNonce } from './queries.ts'

/** The author of a message in a room: what they may send there, and the fields that the message shows. */
export type Sender = { house_id: string | null; maySend: boolean; mayAttach: boolean; author: AuthorRow }

/** A sent message; the extension is undefined where the nonce was taken and the message is an earlier one. */
export type Sent = { message: GatewayMessage; extension: GatewayExtension | undefined }

/**
 * Sends a message (docs/api.md#messages). The sender is looked up if it is not given. Throws `room_not_found`,
 * `message_not_found`, `no_permission`, and `unavailable` if the nonce is repeatedly taken and freed by other requests.
 */
export type Send = (
  caller: Pick<Caller, 'id' | 'session_id'>,
  roomId: string,
  outgoing: OutgoingMessage,
  sender?: Sender,
) => Promise<Sent>

/** Attempts to send if the nonce is taken, but free again when its message is looked up. */
const maxAttempts = 5

/**
 * Creates the `Send` of a process. All messages must go through it: concurrent ones share a statement. `origin` returns
 * the server's public address.
 */
export function createSender(db: Db, bus: Pick<Bus, 'beginDelivery'>, origin: () => string): Send {
  const write = coalesceWrites<Draft, Delivery>(
    (drafts) => writeDrafts(db, drafts, origin()),
    (deliveries) => bus.beginDelivery(entriesOf(deliveries)),
  )

  async function findSender(user_id: string, room_id: string): Promise<Sender> {
    const [access, author] = await Promise.all([
      requireRoomAccess(db, room_id, user_id),
      findAuthor(db, { room_id, user_id }),
    ])
    if (!author) throw new ApiError('room_not_found')
    return senderOf(access, author)
  }

  return async (caller, room_id, outgoing, sender) => {
    const { reply, ...contents } = outgoing
    const { house_id, author, ...may } = sender ?? (await findSender(caller.id, room_id))
    const replied = reply && (await requireReplied(db, room_id, reply.id))
    const reply_mention = replied && reply?.mention ? replied.author.id : null
    const maySend = outgoing.attachment === null ? may.maySend : may.mayAttach
    if (!maySend) throw new ApiError('no_permission')
    const mentioned = await listMentioned(db, room_id, mentionedIn(outgoing.content, reply_mention))
    const by = { author_id: caller.id, device_id: caller.session_id, author }
    const draft: Draft = { ...contents, ...by, room_id, house_id, mentioned, replied, reply_mention }
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const delivery = await write(draft)
      if (isInserted(delivery)) {
        return { message: delivery.event.message!, extension: delivery.event.extension }
      }
      if (delivery instanceof Error) throw delivery
      if (delivery === 'room_gone') throw new ApiError('room_not_found')
      const earlier = await findSentWithNonce(db, draft, origin())
      if (earlier) return { message: earlier, extension: undefined }
    }
    throw new ApiError('unavailable')
  }
}

/** The message to reply to. Throws `message_not_found`. */
async function requireReplied(db: Db, room_id: string, id: string): Promise<RepliedRow> {
  const replied = await findReplied(db, { room_id, id: asId(id) })
  if (!replied) throw new ApiError('message_not_found')
  return replied
}

/** The message that was sent with this nonce, in its present form; undefined if the nonce is free again. */
async function findSentWithNonce(db: Db, draft: Draft, origin: string): Promise<GatewayMessage | undefined> {
  const { room_id, author_id, nonce, house_id } = draft
  const row = await findMessageByNonce(db, { room_id, author_id, nonce: nonce! })
  return row && rebuildMessageCreated(db, row, house_id, origin)
}

/** The sender from the row of `findCallerInRoom`. Throws `room_not_found`. */
export function toSender(found: CallerInRoomRow): Sender {
  const { user, joined_at, last_permission_update } = found
  const access = found.access ?? undefined
  if (!canRead(access)) throw new ApiError('room_not_found')
  const { roles } = access
  return senderOf(access, { ...user, is_deleted: false, joined_at, last_permission_update, roles })
}

function senderOf(access: RoomAccessRow, author: AuthorRow): Sender {
  return { house_id: access.house_id, maySend: canSend(access), mayAttach: canAttach(access), author }
}
