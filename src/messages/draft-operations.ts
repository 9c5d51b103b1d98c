import { isUndone } from '../db/away.ts'
import type { Db } from '../db/client.ts'
import type { HearthEvent } from '../events/events.ts'
import { idTimeMs, makeIdsAfter, newId } from '../ids.ts'
import type { Doubts } from './doubt-operations.ts'
import { gatewayMessage } from './forms.ts'
import type { SpeakerRow, StoredAttachment } from './queries.ts'
import {
  type Insertion,
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

/** Writes drafts, and returns what became of each, in the same order. */
export async function writeDrafts(
  db: Db,
  drafts: readonly Draft[],
  { origin, asksNewest, doubts }: Writing,
): Promise<Delivery[]> {
  const messages = drafts.map(newMessage)
  const { refusals, newestBefore } = await insertOrDoubt(db, messages, asksNewest, doubts)
  const refused = new Map<string, Delivery>(refusals.map(({ id, reason }) => [id, reason]))
  const before = asksNewest ? chain(messages, refused, newestBefore) : null
  if (refusals.some(({ reason }) => reason === 'behind')) {
    await writeLate(db, messages, refused, before, doubts)
  }
  return drafts.map((draft, index): Delivery => {
    const row = { ...messages[index]!, mentions: [], edited_at: null }
    const message = gatewayMessage(row, { ...draft, origin })
    const { room_id, house_id } = draft
    const after = before ? { after: before.get(row.id)! } : {}
    return refused.get(row.id) ?? { type: 'message_created', room_id, house_id, message, ...after }
  })
}

/** Writes messages. After a failure that leaves open whether they were written, they are added to the doubts. */
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

/** For each message that was written, the id of the one before it in its room. */
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
 * Writes, with new ids, the messages that were refused as `behind`: another process had meanwhile written a greater id
 * into the room. Here the rooms are locked before the ids are made, so that this cannot happen again. The other
 * messages of the batch are already written: a failure is therefore noted for these alone, and not thrown.
 */
async function writeLate(
  db: Db,
  messages: NewMessage[],
  refused: Map<string, Delivery>,
  before: Map<string, string | null> | null,
  doubts: Doubts,
): Promise<void> {
  const indexes = [...messages.keys()].filter((index) => refused.get(messages[index]!.id) === 'behind')
  try {
    await db.transaction().execute(async (trx) => {
      const rooms = indexes.map((index) => messages[index]!.room_id)
      for (const id of await lockRoomsToSend(trx, rooms)) makeIdsAfter(id)
      for (const index of indexes) messages[index] = withNewId(messages[index]!)
      const late = indexes.map((index) => messages[index]!)
      const { refusals, newestBefore } = await insertMessages(trx, late, before !== null)
      for (const { id, reason } of refusals) refused.set(id, reason)
      for (const [id, newest] of chain(late, refused, newestBefore)) before?.set(id, newest)
    })
  } catch (error) {
    if (!isUndone(error)) doubts.add(indexes.map((index) => messages[index]!))
    for (const index of indexes) refused.set(messages[index]!.id, error as Error)
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
