import type { Caller } from '../../auth/queries.ts'
import { coalesceWrites } from '../../database/batching/coalesce-writes.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import type { Bus } from '../../events/bus.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import type { CallerInRoomRow } from '../../rooms/caller-queries.ts'
import { canAttach, canRead, canSend } from '../../rooms/permissions.ts'
import type { RoomAccessRow } from '../../rooms/queries.ts'
import { type AuthorRow, findAuthor } from '../queries.ts'
import { rebuildMessageCreated } from '../read/gateway-message-operations.ts'
import { listMentioned, mentionedIn } from '../read/mention-operations.ts'
import type { GatewayMessage } from '../schemas.ts'
import {
  type Delivery,
  type Draft,
  entriesOf,
  isInserted,
  type OutgoingMessage,
  writeDrafts,
} from './draft-operations.ts'
import { findMessageByNonce } from './queries.ts'

/** The author of a message: their access to the room, and the fields that the message shows. */
type Sender = { access: RoomAccessRow; author: AuthorRow }

/**
 * Sends a message (docs/api.md#messages). The sender is looked up if it is not given. Throws `room_not_found`,
 * `no_permission`, and `unavailable` if the nonce is repeatedly taken and freed by other requests.
 */
export type Send = (
  caller: Caller,
  roomId: string,
  outgoing: OutgoingMessage,
  sender?: Sender,
) => Promise<GatewayMessage>

/** Attempts to send if the nonce is taken, but free again when its message is looked up. */
const maxAttempts = 5

/**
 * Creates the `Send` of a process. All messages must go through it: concurrent ones share a statement. `origin` returns
 * the server's public address.
 */
export function createSender(db: Db, bus: Pick<Bus, 'deliver'>, origin: () => string): Send {
  const write = coalesceWrites<Draft, Delivery>(
    (drafts) => writeDrafts(db, drafts, origin()),
    (deliveries) => bus.deliver(entriesOf(deliveries)),
  )

  async function findSender(caller: Caller, room_id: string): Promise<Sender> {
    const key = { room_id, user_id: caller.id }
    const [access, author] = await Promise.all([
      requireRoomAccess(db, room_id, caller.id),
      findAuthor(db, key),
    ])
    if (!author) throw new ApiError('room_not_found')
    return { access, author }
  }

  return async (caller, room_id, outgoing, sender) => {
    const ids = mentionedIn(outgoing.content)
    const { access, author } = sender ?? (await findSender(caller, room_id))
    const maySend = outgoing.attachment === null ? canSend(access) : canAttach(access)
    if (!maySend) throw new ApiError('no_permission')
    const mentioned = ids.length === 0 ? [] : await listMentioned(db, room_id, ids)
    const { house_id } = access
    const by = { author_id: caller.id, device_id: caller.session_id, author }
    const draft: Draft = { ...outgoing, ...by, room_id, house_id, mentioned }
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const delivery = await write(draft)
      if (isInserted(delivery)) return delivery.event.message!
      if (delivery instanceof Error) throw delivery
      if (delivery === 'room_gone') throw new ApiError('room_not_found')
      const sent = await findSentWithNonce(db, draft, origin())
      if (sent) return sent
    }
    throw new ApiError('unavailable')
  }
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
  return {
    access,
    author: { ...user, is_deleted: false, joined_at, last_permission_update, roles: access.roles },
  }
}
