import type { Caller } from '../auth/queries.ts'
import type { Db } from '../db/client.ts'
import { coalesceWrites } from '../db/coalesce-writes.ts'
import { ApiError } from '../errors.ts'
import type { Bus } from '../events/bus.ts'
import { reachRoom } from '../rooms/access-operations.ts'
import type { CallerInRoomRow } from '../rooms/caller-queries.ts'
import { canAttach, canRead, canSend } from '../rooms/permissions.ts'
import type { RoomAccessRow } from '../rooms/queries.ts'
import { openDoubts } from './doubt-operations.ts'
import { type Delivery, type Draft, isEvent, type Outgoing, writeDrafts } from './draft-operations.ts'
import { listMentioned, mentionedIn } from './mention-operations.ts'
import { createdAnew } from './missed-operations.ts'
import { findSpeaker, type SpeakerRow } from './queries.ts'
import type { GatewayMessage } from './schemas.ts'
import { findMessageByNonce } from './send-queries.ts'

/** The author of a message: their access to the room, and how they are shown. */
type Sender = { access: RoomAccessRow; author: SpeakerRow }

/**
 * Sends a message (PROTOCOL 4.11). The sender is looked up unless who calls this has done so. Throws `room_not_found`,
 * `no_permission`, and `unavailable` where a nonce is taken and set free time and again.
 */
export type Send = (
  caller: Caller,
  roomId: string,
  outgoing: Outgoing,
  sender?: Sender,
) => Promise<GatewayMessage>

/** Attempts to send when the nonce is first taken, but free again by the time its message is looked up. */
const maxAttempts = 5

/**
 * All messages that a process sends go through one `Send`: those that wait at the same moment share one statement,
 * and those of one room are published in the order of their ids. Where other processes may send too, each event names
 * the message before it, so that gateways can put them in order. `origin` gives the server's public address.
 */
export function openSending(db: Db, bus: Bus, origin: () => string): Send {
  const doubts = openDoubts(db, bus, origin)
  const write = coalesceWrites<Draft, Delivery>(
    (drafts) =>
      writeDrafts(db, drafts, { origin: origin(), asksNewest: bus.isShared || doubts.isOpen, doubts }),
    (deliveries) => bus.publish(deliveries.filter((delivery) => isEvent(delivery))),
  )

  async function findSender(caller: Caller, room_id: string): Promise<Sender> {
    const key = { room_id, user_id: caller.id }
    const [access, author] = await Promise.all([reachRoom(db, room_id, caller.id), findSpeaker(db, key)])
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
      if (isEvent(delivery)) return delivery.message
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
  return row && (await createdAnew(db, row, house_id, origin)).message
}

/** The sender, from what one statement has found of caller and room. Throws `room_not_found`. */
export function senderOf(found: CallerInRoomRow): Sender {
  const { user, joined_at, last_permission_update } = found
  const access = found.access ?? undefined
  if (!canRead(access)) throw new ApiError('room_not_found')
  return {
    access,
    author: { ...user, is_deleted: false, joined_at, last_permission_update, roles: access.roles },
  }
}
