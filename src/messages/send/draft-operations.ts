import { isLockTimeout } from '../../database/availability/unavailable.ts'
import type { Db } from '../../database/client.ts'
import type { EventOf } from '../../events/events.ts'
import type { Entry } from '../../events/log-queries.ts'
import { compareIds, idTimeMs, makeIdsAfter, newId } from '../../ids.ts'
import type { AuthorRow, StoredAttachment } from '../queries.ts'
import type { RepliedRow } from '../read/extension-queries.ts'
import { serializeGatewayExtension } from '../read/extension-serializers.ts'
import type { GatewayExtension } from '../schemas.ts'
import { serializeGatewayMessage } from '../serializers.ts'
import { insertMessages, lockRoomsToSend, type NewMessage, type Refusal } from './queries.ts'

/** The contents of a message to be sent. */
export type OutgoingMessage = {
  content: string
  nonce: string | null
  /** Seconds; null unless it explodes. */
  exploding_age: number | null
  attachment: StoredAttachment | null
  /** The id of the message that it answers, and whether the author of that one counts as mentioned; else null. */
  reply: { id: string; mention: boolean } | null
}

/** A message to be written, with the people that its gateway form shows. */
export type Draft = Omit<OutgoingMessage, 'reply'> & {
  room_id: string
  house_id: string | null
  author_id: string
  device_id: string
  author: AuthorRow
  mentioned: AuthorRow[]
  replied: RepliedRow | null
  reply_mention: string | null
}

/** What became of a draft: the event with its entry in the log, the reason why it was refused, or the error that prevented it. */
export type Delivery = Written | Refusal['reason'] | Error

type Written = { entryId: string; event: EventOf<'message_created'> }

export function isInserted(delivery: Delivery): delivery is Written {
  return typeof delivery === 'object' && 'event' in delivery
}

/** The entries of the log that were added for a batch. The events of an entry are in the order of the messages' ids. */
export function entriesOf(deliveries: readonly Delivery[]): Entry[] {
  const written = deliveries.filter(isInserted)
  return [...Map.groupBy(written, ({ entryId }) => entryId)].map(([id, ofEntry]) => ({
    id,
    events: ofEntry
      .map(({ event }) => event)
      .sort((one, other) => compareIds(one.message_id, other.message_id)),
  }))
}

/** A message that was written, with the entries of its batch by scope, or why it was not. */
type Attempt =
  | { message: NewMessage; entryIds: ReadonlyMap<string, string> }
  | { message: NewMessage; failure: Failure }

type Failure = Refusal['reason'] | Error

/** Writes drafts, and returns what became of each, in the same order. `origin`: the server's public address. */
export async function writeDrafts(db: Db, drafts: readonly Draft[], origin: string): Promise<Delivery[]> {
  const attempts = await writeAll(db, drafts.map(newMessage))
  return drafts.map((draft, index): Delivery => {
    const attempt = attempts[index]!
    if ('failure' in attempt) return attempt.failure
    const { room_id, house_id } = draft
    const row = { ...attempt.message, mentions: [], edited_at: null }
    const message = serializeGatewayMessage(row, { ...draft, origin })
    const extension = extensionOf(draft)
    return {
      entryId: attempt.entryIds.get(house_id ?? room_id)!,
      event: { type: 'message_created', room_id, house_id, message_id: message.id, message, extension },
    }
  })
}

/** What the new message has more for extended clients. */
function extensionOf({ replied }: Draft): GatewayExtension {
  if (!replied) return { reply_to: null, pinned: false }
  const { id: reply_to, author, content } = replied
  return serializeGatewayExtension({ reply_to, author, content, pinned: false })
}

async function writeAll(db: Db, messages: NewMessage[]): Promise<Attempt[]> {
  const attempts = await insertPastLocks(db, messages)
  const behind = attempts.filter(isBehind)
  if (behind.length === 0) return attempts
  const late = await writeLate(
    db,
    behind.map(({ message }) => message),
  )
  return attempts.map((attempt) => (isBehind(attempt) ? late.shift()! : attempt))
}

function isBehind(attempt: Attempt): boolean {
  return 'failure' in attempt && attempt.failure === 'behind'
}

/**
 * Writes messages. When a lock has been waited for in vain, those into rooms that are locked fail, and the others are
 * written: while a big room is deleted, which may take half a minute, only those who send there wait for it.
 */
async function insertPastLocks(db: Db, messages: readonly NewMessage[]): Promise<Attempt[]> {
  try {
    return await insert(db, messages)
  } catch (error) {
    if (messages.length === 1 || !isLockTimeout(error)) throw error
    const attempts = await insert(db, messages, { skipsLocked: true })
    return attempts.map((attempt) => {
      const isLocked = 'failure' in attempt && attempt.failure === 'room_locked'
      return isLocked ? { ...attempt, failure: error as Error } : attempt
    })
  }
}

async function insert(
  db: Db,
  messages: readonly NewMessage[],
  how?: { skipsLocked: boolean },
): Promise<Attempt[]> {
  const { refusals, entryIds } = await insertMessages(db, messages, how)
  const reasons = new Map(refusals.map(({ id, reason }) => [id, reason]))
  return messages.map((message): Attempt => {
    const failure = reasons.get(message.id)
    return failure === undefined ? { message, entryIds } : { message, failure }
  })
}

/**
 * Writes, with new ids, the messages that were refused as `behind`: another process had meanwhile written a greater id
 * into the room. Here the rooms are locked before the ids are made, so that this cannot happen again. The other
 * messages of the batch are already written: a failure is therefore noted for these alone, and not thrown.
 */
async function writeLate(db: Db, behind: readonly NewMessage[]): Promise<Attempt[]> {
  try {
    return await db.transaction().execute(async (trx) => {
      const rooms = behind.map((message) => message.room_id)
      for (const id of await lockRoomsToSend(trx, rooms)) makeIdsAfter(id)
      return insert(trx, behind.map(withNewId))
    })
  } catch (error) {
    return behind.map((message) => ({ message, failure: error as Error }))
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
    reply_to: draft.replied?.id ?? null,
    reply_mention: draft.reply_mention,
  })
}

/** A message was sent at the time in its id, so with a new id it also expires later. */
function withNewId(message: Omit<NewMessage, 'id' | 'expires_at'>): NewMessage {
  const id = newId()
  const { exploding_age } = message
  const expires_at = exploding_age === null ? null : new Date(idTimeMs(id) + exploding_age * 1000)
  return { ...message, id, expires_at }
}
