import { signal } from '@preact/signals'
import { onEvent } from '../connection.ts'
import { put, without } from '../state/records.ts'
import type { ById, Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { lacks } from '../state/timeline.ts'

/** The message that one is about to answer, by room. */
const answered = signal<ById<Message>>({})

/** The message that what one writes in a room replies to, if it is still there as far as one knows. */
export function repliedIn(roomId: string): Message | undefined {
  const message = answered.value[roomId]
  if (!message) return undefined
  const timeline = store.timelines.value[roomId]
  if (timeline && lacks(timeline, message.id)) return undefined
  return timeline?.messages.find(({ id }) => id === message.id) ?? message
}

onEvent(({ e, d }) => {
  if (e === 'MESSAGE_DELETE' && answered.peek()[d.room_id]?.id === d.message_id) cancelReply(d.room_id)
})

export function replyTo(message: Message): void {
  answered.value = put(answered.peek(), message.room_id, message)
}

export function cancelReply(roomId: string): void {
  answered.value = without(answered.peek(), roomId)
}

/** What a message to be sent says of the one that it replies to. Oneself is not mentioned by one's own reply. */
export type ReplyFields = { reply_to_id?: string; reply_mention?: false }

export function replyFields(message: Message | undefined): ReplyFields {
  if (!message) return {}
  const isOwn = message.author_id === store.me.peek()?.id
  return { reply_to_id: message.id, ...(isOwn && { reply_mention: false as const }) }
}
