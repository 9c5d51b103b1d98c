import { signal } from '@preact/signals'
import { permission } from '../../houses/permissions.ts'
import { mayInRoom } from '../rooms/permissions.ts'
import { api } from '../session.ts'
import type { Message, Timeline } from '../state/state.ts'
import { onPersonLeft, store } from '../state/store.ts'
import { lacks } from '../state/timeline.ts'
import { focusComposer } from './composer-focus.ts'
import { addToDraft, keepDraft, listDrafts } from './drafts.ts'

/** The message that is being edited in place. */
export const editedMessage = signal<string | undefined>(undefined)
let roomOfEdited: string | undefined
/** The one whose editor is to take the focus: not one that comes back with its room. */
let begun: string | undefined

onPersonLeft(() => {
  editedMessage.value = undefined
})

export function beginEdit({ id, room_id }: Pick<Message, 'id' | 'room_id'>): void {
  roomOfEdited = room_id
  begun = id
  editedMessage.value = id
}

/** Whether the editor of a message has just been opened; once. */
export function takeBegun(id: string): boolean {
  const is = begun === id
  begun = undefined
  return is
}

/** Ends the edits of messages that are gone: what was written for them comes to where one writes. */
export function rescueEdits(roomId: string, timeline: Timeline): void {
  const gone = listDrafts().filter(({ part, ...draft }) => {
    return draft.roomId === roomId && part !== '' && lacks(timeline, part)
  })
  if (gone.length > 0) {
    addToDraft(
      roomId,
      gone.map(({ text }) => text),
    )
  }
  for (const { part } of gone) keepDraft(roomId, '', part)
  const edited = editedMessage.peek()
  if (edited === undefined || roomOfEdited !== roomId || !lacks(timeline, edited)) return
  editedMessage.value = undefined
  if (document.activeElement === document.body) focusComposer()
}

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
  const last = messages.findLast(isOwn)
  if (last) beginEdit(last)
}

/** Puts another text in the place of a message's. */
export async function editMessage({ id, room_id }: Message, content: string): Promise<void> {
  await api.call('editMessage', { params: { id: room_id, message_id: id }, body: { content } })
  keepDraft(room_id, '', id)
  editedMessage.value = undefined
}

/** Deletes a message, for everybody. */
export async function deleteMessage({ id, room_id }: Message): Promise<void> {
  await api.call('deleteMessage', { params: { id: room_id, message_id: id } })
  editedMessage.value = undefined
}
