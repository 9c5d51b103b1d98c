import { isLockTimeout } from '../../database/availability/unavailable.ts'
import { type Db, isDistributed } from '../../database/client.ts'
import type { EventOf } from '../../events/events.ts'
import type { Entry } from '../../events/log-queries.ts'
import { compareIds, idTimeMs, makeIdsAfter, newId } from '../../ids.ts'
import { listLastMessageIds } from '../../rooms/head-queries.ts'
import type { AuthorRow, StoredAttachment } from '../queries.ts'
import type { RepliedRow } from '../read/extension-queries.ts'
import { serializeGatewayExtension } from '../read/extension-serializers.ts'
import type { GatewayExtension } from '../schemas.ts'
import { serializeGatewayMessage } from '../serializers.ts'
import { insertOnShards, lockHeads } from './distributed-queries.ts'
import { insertMessages, lockRoomsToSend, type NewMessage, type Refusal } from './queries.ts'

/** The content of a message to send. */
export type OutgoingMessage = {
  content: string
  nonce: string | null
  /** Seconds; null unless it explodes. */
  exploding_age: number | null
  attachment: StoredAttachment | null
  /** The id of the message that it answers, and whether the author of that one counts as mentioned; else null. */
  reply: { id: string; mention: boolean } | null
}

/** A message to write, with the users in its gateway form. */
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

/** The result for a draft: the event with its entry in the log, the reason of a refusal, or an error. */
export type Delivery = Written | Refusal['reason'] | Error

type Written = { entryId: string; event: EventOf<'message_created'> }

export function isInserted(delivery: Delivery): delivery is Written {
  return typeof delivery === 'object' && 'event' in delivery
}

/** The log entries of a batch. The events of an entry are in the order of the message ids. */
export function entriesOf(deliveries: readonly Delivery[]): Entry[] {
  const written = deliveries.filter(isInserted)
  return [...Map.groupBy(written, ({ entryId }) => entryId)].map(([id, ofEntry]) => ({
    id,
    events: ofEntry
      .map(({ event }) => event)
      .sort((one, other) => compareIds(one.message_id, other.message_id)),
  }))
}

/** A written message, with the ids of the batch's log entries by scope, or the failure. */
type Attempt =
  | { message: NewMessage; entryIds: ReadonlyMap<string, string> }
  | { message: NewMessage; failure: Failure }

type Failure = Refusal['reason'] | Error

/** Writes drafts. Returns the result of each, in the same order. `origin`: the server's public address. */
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
  const attempts = await insertDespiteLocks(db, messages)
  const behind = attempts.filter(isBehind)
  if (behind.length === 0) return attempts
  const repeated = await insertWithNewIds(
    db,
    behind.map(({ message }) => message),
  )
  return attempts.map((attempt) => (isBehind(attempt) ? repeated.shift()! : attempt))
}

function isBehind(attempt: Attempt): boolean {
  return 'failure' in attempt && attempt.failure === 'behind'
}

/**
 * Inserts messages. After a lock timeout the messages to locked rooms fail, and the others are inserted: the deletion of
 * a room with very many mentions must not delay messages to other rooms.
 */
async function insertDespiteLocks(db: Db, messages: readonly NewMessage[]): Promise<Attempt[]> {
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
  const { refusals, entryIds } = await (isDistributed(db)
    ? insertOnShards(db, messages, how)
    : insertMessages(db, messages, how))
  const reasons = new Map(refusals.map(({ id, reason }) => [id, reason]))
  return messages.map((message): Attempt => {
    const failure = reasons.get(message.id)
    return failure === undefined ? { message, entryIds } : { message, failure }
  })
}

/**
 * Inserts messages that were refused as `behind` again, with new ids: another process had written a greater id to the
 * room. The rooms are locked before the ids are generated, so that this cannot happen again. A failure is returned for
 * these messages and not thrown, because the other messages of the batch are already written.
 */
async function insertWithNewIds(db: Db, behind: readonly NewMessage[]): Promise<Attempt[]> {
  try {
    return await db.transaction().execute(async (trx) => {
      const rooms = [...new Set(behind.map((message) => message.room_id))]
      await lockRoomsToSend(trx, rooms)
      const heads = await (isDistributed(trx) ? lockHeads(trx, rooms) : listLastMessageIds(trx, rooms))
      for (const id of heads.values()) if (id !== null) makeIdsAfter(id)
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

/** The time in the id is the time of sending, from which the expiry follows. */
function withNewId(message: Omit<NewMessage, 'id' | 'expires_at'>): NewMessage {
  const id = newId()
  const { exploding_age } = message
  const expires_at = exploding_age === null ? null : new Date(idTimeMs(id) + exploding_age * 1000)
  return { ...message, id, expires_at }
}
