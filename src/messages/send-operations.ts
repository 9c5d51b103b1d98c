import type { Caller } from '../auth/queries.ts'
import { isUndone } from '../db/away.ts'
import type { Db } from '../db/client.ts'
import { coalesceWrites } from '../db/coalesce-writes.ts'
import { ApiError } from '../errors.ts'
import type { HearthEvent } from '../events/events.ts'
import { idTimeMs, makeIdsAfter, newId } from '../ids.ts'
import { reachRoom } from '../rooms/access-operations.ts'
import type { CallerInRoomRow } from '../rooms/caller-queries.ts'
import { canAttach, canRead, canSend } from '../rooms/permissions.ts'
import type { RoomAccessRow } from '../rooms/queries.ts'
import { type Doubts, openDoubts } from './doubt-operations.ts'
import { gatewayMessage } from './forms.ts'
import { listMentioned, mentionedIn } from './mention-operations.ts'
import { findSpeaker, type SpeakerRow, type StoredAttachment } from './queries.ts'
import type { GatewayMessage } from './schemas.ts'
import {
  findMessageByNonce,
  type Insertion,
  insertMessages,
  lockRoomsToSend,
  type NewMessage,
  type Refusal,
} from './send-queries.ts'

/** What somebody wants to send. */
export type Outgoing = {
  content: string
  nonce: string | null
  /** Seconds; null unless it explodes. */
  exploding_age: number | null
  attachment: StoredAttachment | null
}

/** A message on its way, with the people its gateway form shows. */
type Draft = Outgoing & {
  room_id: string
  house_id: string | null
  author_id: string
  device_id: string
  author: SpeakerRow
  mentioned: SpeakerRow[]
}

/** What became of a draft: the event that tells of it, why it was not written, or what went wrong. */
type Delivery = Extract<HearthEvent, { type: 'message_created' }> | Refusal['reason'] | Error

/** Who sends: what they may in the room, and what they appear as. */
export type Sender = { access: RoomAccessRow; author: SpeakerRow }

export type Sending = {
  /**
   * Sends a message (PROTOCOL 4.11), by a sender who was read already, or is read now. Throws `room_not_found`,
   * `no_permission`.
   */
  send(caller: Caller, roomId: string, outgoing: Outgoing, sender?: Sender): Promise<GatewayMessage>
  /** The caller's access to a room they may send to, with an attachment or without; throws as `send` does. */
  checkAccess(caller: Caller, roomId: string, withAttachment: boolean): Promise<RoomAccessRow>
}

/** How often a nonce that is taken, and free again when looked at, is tried anew. */
const maxAttempts = 5

/**
 * Opens the one way by which the messages of this process are sent. All that wait at the same moment share one
 * statement; those of one room are published in the order of their ids. `origin` gives the server's public address;
 * `hasPeers` says whether other processes may send too, so that who hears of messages has to put them in order.
 */
export function openSending(
  db: Db,
  publish: (events: HearthEvent[]) => Promise<void>,
  origin: () => string,
  hasPeers: () => boolean = () => false,
): Sending {
  const doubts = openDoubts(db, publish, origin)
  const write = coalesceWrites<Draft, Delivery>(
    (drafts) => writeDrafts(db, drafts, origin(), hasPeers() || doubts.isOpen, doubts),
    (deliveries) => publish(deliveries.filter((delivery) => isEvent(delivery))),
  )

  async function checkAccess(caller: Caller, room_id: string, withAttachment: boolean) {
    const access = await reachRoom(db, room_id, caller.id)
    refuseUnlessMay(access, withAttachment)
    return access
  }

  async function findSender(caller: Caller, room_id: string): Promise<Sender> {
    const key = { room_id, user_id: caller.id }
    const [access, author] = await Promise.all([reachRoom(db, room_id, caller.id), findSpeaker(db, key)])
    if (!author) throw new ApiError('room_not_found')
    return { access, author }
  }

  async function send(caller: Caller, room_id: string, outgoing: Outgoing, sender?: Sender) {
    const ids = mentionedIn(outgoing.content)
    const { access, author } = sender ?? (await findSender(caller, room_id))
    refuseUnlessMay(access, outgoing.attachment !== null)
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

  return { send, checkAccess }
}

/** The message that was sent with this nonce before, as it is now; undefined when the nonce is free again. */
async function findFirst(db: Db, draft: Draft, origin: string): Promise<GatewayMessage | undefined> {
  const { room_id, author_id, nonce, house_id, author } = draft
  const row = await findMessageByNonce(db, { room_id, author_id, nonce: nonce! })
  if (!row) return undefined
  const found = await Promise.all(row.mentions.map((user_id) => findSpeaker(db, { room_id, user_id })))
  return gatewayMessage(row, {
    house_id,
    author,
    mentioned: found.filter((user) => user !== undefined),
    origin,
  })
}

function refuseUnlessMay(access: RoomAccessRow, withAttachment: boolean): void {
  if (!(withAttachment ? canAttach(access) : canSend(access))) throw new ApiError('no_permission')
}

/** The sender that a request's one look at caller and room has found. Throws `room_not_found`. */
export function senderOf(found: CallerInRoomRow): Sender {
  const { user, joined_at, last_permission_update } = found
  const access = found.access ?? undefined
  if (!canRead(access)) throw new ApiError('room_not_found')
  return {
    access,
    author: { ...user, is_deleted: false, joined_at, last_permission_update, roles: access.roles },
  }
}

function isEvent(delivery: Delivery): delivery is Exclude<Delivery, string | Error> {
  return typeof delivery === 'object' && 'type' in delivery
}

/** Writes drafts, and says of each what became of it. */
async function writeDrafts(
  db: Db,
  drafts: readonly Draft[],
  origin: string,
  asksNewest: boolean,
  doubts: Doubts,
): Promise<Delivery[]> {
  const messages = drafts.map(newMessage)
  const { refusals, newestBefore } = await insertOrDoubt(db, messages, asksNewest, doubts)
  const refused = new Map<string, Delivery>(refusals.map(({ id, reason }) => [id, reason]))
  const before = asksNewest ? chain(messages, refused, newestBefore) : null
  if (refusals.some(({ reason }) => reason === 'behind'))
    await writeLate(db, messages, refused, before, doubts)
  return drafts.map((draft, index): Delivery => {
    const row = { ...messages[index]!, mentions: [], edited_at: null }
    const message = gatewayMessage(row, { ...draft, origin })
    const { room_id, house_id } = draft
    const after = before ? { after: before.get(row.id)! } : {}
    return refused.get(row.id) ?? { type: 'message_created', room_id, house_id, message, ...after }
  })
}

/** Writes messages; of those that may be there although that failed, the doubts hear. */
async function insertOrDoubt(
  db: Db,
  messages: readonly NewMessage[],
  asksNewest: boolean,
  doubts: Doubts,
): Promise<Insertion> {
  try {
    return await insertMessages(db, messages, asksNewest)
  } catch (error) {
    if (!isUndone(error)) doubts.add(messages)
    throw error
  }
}

/** For each message that was written, the one before it in its room. */
function chain(
  messages: readonly NewMessage[],
  refused: ReadonlyMap<string, unknown>,
  newestBefore: ReadonlyMap<string, string | null>,
): Map<string, string | null> {
  const newest = new Map(newestBefore)
  const before = new Map<string, string | null>()
  for (const { id, room_id } of messages) {
    if (refused.has(id)) continue
    before.set(id, newest.get(room_id) ?? null)
    newest.set(room_id, id)
  }
  return before
}

/**
 * Writes what was refused as `behind`: another process had written a greater id into the room meanwhile. With the
 * rooms locked first, the new ids cannot be overtaken again. Fails for these messages alone: the others are written.
 */
async function writeLate(
  db: Db,
  messages: NewMessage[],
  refused: Map<string, Delivery>,
  before: Map<string, string | null> | null,
  doubts: Doubts,
): Promise<void> {
  const places = [...messages.keys()].filter((place) => refused.get(messages[place]!.id) === 'behind')
  try {
    await db.transaction().execute(async (trx) => {
      const rooms = places.map((place) => messages[place]!.room_id)
      for (const id of await lockRoomsToSend(trx, rooms)) makeIdsAfter(id)
      for (const place of places) messages[place] = withNewId(messages[place]!)
      const late = places.map((place) => messages[place]!)
      const { refusals, newestBefore } = await insertMessages(trx, late, before !== null)
      for (const { id, reason } of refusals) refused.set(id, reason)
      for (const [id, newest] of chain(late, refused, newestBefore)) before?.set(id, newest)
    })
  } catch (error) {
    if (!isUndone(error)) doubts.add(places.map((place) => messages[place]!))
    for (const place of places) refused.set(messages[place]!.id, error as Error)
  }
}

function newMessage(draft: Draft): NewMessage {
  return withNewId({
    room_id: draft.room_id,
    author_id: draft.author_id,
    device_id: draft.device_id,
    content: draft.content,
    mentions: draft.mentioned.map((user) => user.id),
    exploding_age: draft.exploding_age,
    nonce: draft.nonce,
    attachment: draft.attachment,
  })
}

/** The time of a message is that of its id, so its end moves with it. */
function withNewId(message: Omit<NewMessage, 'id' | 'expires_at'>): NewMessage {
  const id = newId()
  const { exploding_age } = message
  const expires_at = exploding_age === null ? null : new Date(idTimeMs(id) + exploding_age * 1000)
  return { ...message, id, expires_at }
}
