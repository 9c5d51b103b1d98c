import { signal } from '@preact/signals'
import { permission } from '../../houses/permissions.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'

/** The message that is being edited in place. */
export const editedMessage = signal<string | undefined>(undefined)

export function isOwn(message: Message): boolean {
  return message.author_id === store.me.value?.id
}

export function mayDelete(message: Message): boolean {
  const room = store.rooms.value[message.room_id]
  return isOwn(message) || Boolean(room?.house_id && mayInRoom(room, permission.MODERATE_ROOM))
}

/** Begins to edit the last message of one's own in a room. */
export function editLastOwn(roomId: string): void {
  const { messages = [] } = store.timelines.peek()[roomId] ?? {}
  editedMessage.value = messages.findLast(isOwn)?.id
}

/** Puts another text in the place of a message's. */
export async function editMessage({ id, room_id }: Message, content: string): Promise<void> {
  await api.call('editMessage', { params: { id: room_id, message_id: id }, body: { content } })
  editedMessage.value = undefined
}

/** Deletes a message, for everybody. */
export async function deleteMessage({ id, room_id }: Message): Promise<void> {
  await api.call('deleteMessage', { params: { id: room_id, message_id: id } })
  editedMessage.value = undefined
}
