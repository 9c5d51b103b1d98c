import { signal } from '@preact/signals'
import { onEvent } from '../connection.ts'
import { put } from '../state/records.ts'
import type { ById, Message } from '../state/state.ts'
import { onPersonLeft, store } from '../state/store.ts'
import { lacks } from '../state/timeline.ts'
import { draftOf, keepDraft } from './drafts.ts'

/** What one keeps of a message that one is about to answer. */
export type Replied = Pick<
  Message,
  'id' | 'room_id' | 'author_id' | 'author' | 'content' | 'mentions' | 'attachment'
>

/** So much of its text is kept. */
const maxKeptLength = 200

/** The message that one is about to answer, by room. It is stored with the draft. */
const answered = signal<ById<Replied | undefined>>({})
/** What was stored when the page first asked: another page may have stored something else since. */
const stored = new Map<string, Replied | undefined>()

onPersonLeft(() => {
  answered.value = {}
  stored.clear()
})

onEvent(({ e, d }) => {
  if (e === 'MESSAGE_DELETE' && answeredIn(d.room_id)?.id === d.message_id) cancelReply(d.room_id)
})

function answeredIn(roomId: string): Replied | undefined {
  if (roomId in answered.value) return answered.value[roomId]
  if (!stored.has(roomId)) stored.set(roomId, JSON.parse(draftOf(roomId, 'reply') || 'null') ?? undefined)
  return stored.get(roomId)
}

/** The message that what one writes in a room replies to, if it is still there as far as one knows. */
export function repliedIn(roomId: string): Replied | undefined {
  const message = answeredIn(roomId)
  if (!message) return undefined
  const timeline = store.timelines.value[roomId]
  if (timeline && lacks(timeline, message.id)) return undefined
  return timeline?.messages.find(({ id }) => id === message.id) ?? message
}

export function replyTo({ id, room_id, author_id, author, content, mentions, attachment }: Message): void {
  const kept = [...content].slice(0, maxKeptLength).join('')
  answer(room_id, { id, room_id, author_id, author, content: kept, mentions, attachment })
}

export function cancelReply(roomId: string): void {
  answer(roomId, undefined)
}

function answer(roomId: string, message: Replied | undefined): void {
  answered.value = put(answered.peek(), roomId, message)
  keepDraft(roomId, message ? JSON.stringify(message) : '', 'reply')
}

/** What a message to be sent says of the one that it replies to. Oneself is not mentioned by one's own reply. */
export type ReplyFields = { reply_to_id?: string; reply_mention?: false }

export function replyFields(message: Pick<Message, 'id' | 'author_id'> | undefined): ReplyFields {
  if (!message) return {}
  const isOwn = message.author_id === store.me.peek()?.id
  return { reply_to_id: message.id, ...(isOwn && { reply_mention: false as const }) }
}
