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
import { listMentioned, mentionedIn } from '../read/mention-operations.ts'
import { rebuildMessageCreated } from '../read/present-operations.ts'
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

/** The author of a message in a room: what they may send there, and how they are shown. */
export type Sender = { house_id: string | null; maySend: boolean; mayAttach: boolean; author: AuthorRow }

/**
 * Sends a message (docs/api.md#messages). The sender is looked up unless who calls this has done so. Throws
 * `room_not_found`, `no_permission`, and `unavailable` where a nonce is taken and set free time and again.
 */
export type Send = (
  caller: Pick<Caller, 'id' | 'session_id'>,
  roomId: string,
  outgoing: OutgoingMessage,
  sender?: Sender,
) => Promise<GatewayMessage>

/** Attempts to send when the nonce is first taken, but free again by the time its message is looked up. */
const maxAttempts = 5

/**
 * All messages that a process sends go through one `Send`: those that wait at the same moment share one statement.
 * `origin` gives the server's public address.
 */
export function createSender(db: Db, bus: Pick<Bus, 'deliver'>, origin: () => string): Send {
  const write = coalesceWrites<Draft, Delivery>(
    (drafts) => writeDrafts(db, drafts, origin()),
    (deliveries) => bus.deliver(entriesOf(deliveries)),
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
    const ids = mentionedIn(outgoing.content)
    const { house_id, author, ...may } = sender ?? (await findSender(caller.id, room_id))
    const maySend = outgoing.attachment === null ? may.maySend : may.mayAttach
    if (!maySend) throw new ApiError('no_permission')
    const mentioned = ids.length === 0 ? [] : await listMentioned(db, room_id, ids)
    const by = { author_id: caller.id, device_id: caller.session_id, author }
    const draft: Draft = { ...outgoing, ...by, room_id, house_id, mentioned }
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const delivery = await write(draft)
      if (isInserted(delivery)) return delivery.event.message!
      if (delivery instanceof Error) throw delivery
      if (delivery === 'room_gone') throw new ApiError('room_not_found')
      const first = await findFirst(db, draft, origin())
      if (first) return first
    }
    throw new ApiError('unavailable')
  }
}

/** The message that was sent with this nonce before, as it is now; undefined when the nonce is free again. */
async function findFirst(db: Db, draft: Draft, origin: string): Promise<GatewayMessage | undefined> {
  const { room_id, author_id, nonce, house_id } = draft
  const row = await findMessageByNonce(db, { room_id, author_id, nonce: nonce! })
  return row && rebuildMessageCreated(db, row, house_id, origin)
}

/** The sender, from what one statement has found of caller and room. Throws `room_not_found`. */
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
