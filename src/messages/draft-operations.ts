import { isLockTimeout, isUndone } from '../db/away.ts'
import type { Db } from '../db/client.ts'
import type { HearthEvent } from '../events/events.ts'
import { idTimeMs, makeIdsAfter, newId } from '../ids.ts'
import type { Doubts } from './doubt-operations.ts'
import { gatewayMessage } from './forms.ts'
import type { SpeakerRow, StoredAttachment } from './queries.ts'
import {
  type InsertOptions,
  insertMessages,
  lockRoomsToSend,
  type NewMessage,
  type Refusal,
} from './send-queries.ts'

/** The contents of a message to be sent. */
export type Outgoing = {
  content: string
  nonce: string | null
  /** Seconds; null unless it explodes. */
  exploding_age: number | null
  attachment: StoredAttachment | null
}

/** A message to be written, with the people that its gateway form shows. */
export type Draft = Outgoing & {
  room_id: string
  house_id: string | null
  author_id: string
  device_id: string
  author: SpeakerRow
  mentioned: SpeakerRow[]
}

/** What became of a draft: the event to publish, the reason why it was refused, or the error that prevented it. */
export type Delivery = Extract<HearthEvent, { type: 'message_created' }> | Refusal['reason'] | Error

export function isEvent(delivery: Delivery): delivery is Exclude<Delivery, string | Error> {
  return typeof delivery === 'object' && 'type' in delivery
}

/** What all drafts of a batch are written with. `asksNewest`: their events name the message before each (`after`). */
type Writing = { origin: string; asksNewest: boolean; doubts: Doubts }

/** A message that was written, after which one of its room (if asked for), or why it was not. */
type Attempt = { message: NewMessage; after?: string | null; failure?: Refusal['reason'] | Error }

/** Writes drafts, and returns what became of each, in the same order. */
export async function writeDrafts(db: Db, drafts: readonly Draft[], writing: Writing): Promise<Delivery[]> {
  const attempts = await writeAll(db, drafts.map(newMessage), writing)
  return drafts.map((draft, index): Delivery => {
    const { message, after, failure } = attempts[index]!
    if (failure !== undefined) return failure
    const { room_id, house_id } = draft
    const row = { ...message, mentions: [], edited_at: null }
    const form = gatewayMessage(row, { ...draft, origin: writing.origin })
    return {
      type: 'message_created',
      room_id,
      house_id,
      message: form,
      ...(after !== undefined && { after }),
    }
  })
}

/** Writes messages. After a failure that leaves open whether they were written, they are added to the doubts. */
async function writeAll(db: Db, messages: NewMessage[], writing: Writing): Promise<Attempt[]> {
  const attempts = await insertPastLocks(db, messages, writing.asksNewest).catch((error: unknown) => {
    if (!isUndone(error)) writing.doubts.add(messages)
    throw error
  })
  const behind = attempts.filter(({ failure }) => failure === 'behind')
  if (behind.length === 0) return attempts
  const late = await writeLate(
    db,
    behind.map(({ message }) => message),
    writing,
  )
  return attempts.map((attempt) => (attempt.failure === 'behind' ? late.shift()! : attempt))
}

/**
 * Writes messages. When a lock has been waited for in vain, those into rooms that are locked fail, and the others are
 * written: while a big room is deleted, which may take half a minute, only those who send there wait for it.
 */
async function insertPastLocks(
  db: Db,
  messages: readonly NewMessage[],
  asksNewest: boolean,
): Promise<Attempt[]> {
  try {
    return await insert(db, messages, { asksNewest })
  } catch (error) {
    if (messages.length === 1 || !isLockTimeout(error)) throw error
    const attempts = await insert(db, messages, { asksNewest, skipsLocked: true })
    return attempts.map((attempt) => {
      return attempt.failure === 'room_locked' ? { ...attempt, failure: error as Error } : attempt
    })
  }
}

async function insert(db: Db, messages: readonly NewMessage[], how: InsertOptions): Promise<Attempt[]> {
  const { refusals, newestBefore } = await insertMessages(db, messages, how)
  const reasons = new Map(refusals.map(({ id, reason }) => [id, reason]))
  return messages.map((message) => {
    const failure = reasons.get(message.id)
    if (failure !== undefined) return { message, failure }
    if (!how.asksNewest) return { message }
    const after = newestBefore.get(message.room_id) ?? null
    newestBefore.set(message.room_id, message.id)
    return { message, after }
  })
}

/**
 * Writes, with new ids, the messages that were refused as `behind`: another process had meanwhile written a greater id
 * into the room. Here the rooms are locked before the ids are made, so that this cannot happen again. The other
 * messages of the batch are already written: a failure is therefore noted for these alone, and not thrown.
 */
async function writeLate(
  db: Db,
  behind: readonly NewMessage[],
  { asksNewest, doubts }: Writing,
): Promise<Attempt[]> {
  let late = behind
  try {
    return await db.transaction().execute(async (trx) => {
      const rooms = behind.map((message) => message.room_id)
      for (const id of await lockRoomsToSend(trx, rooms)) makeIdsAfter(id)
      late = behind.map(withNewId)
      return insert(trx, late, { asksNewest })
    })
  } catch (error) {
    if (!isUndone(error)) doubts.add(late)
    return late.map((message) => ({ message, failure: error as Error }))
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

/** A message was sent at the time in its id, so with a new id it also expires later. */
function withNewId(message: Omit<NewMessage, 'id' | 'expires_at'>): NewMessage {
  const id = newId()
  const { exploding_age } = message
  const expires_at = exploding_age === null ? null : new Date(idTimeMs(id) + exploding_age * 1000)
  return { ...message, id, expires_at }
}
