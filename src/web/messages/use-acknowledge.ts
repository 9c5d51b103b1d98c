import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { roomInSight } from '../rooms/unread.ts'
import { api } from '../session.ts'
import { compareIds } from '../state/records.ts'
import { store } from '../state/store.ts'

/** So long the end has to be in sight. */
const seenMs = 300

/** Whether the window has the focus. */
export const hasFocus = signal(document.hasFocus())
for (const name of ['focus', 'blur']) {
  addEventListener(name, () => {
    hasFocus.value = document.hasFocus()
  })
}

/** Marks a room as read at the server, once its end has been in sight for a moment. */
export function useAcknowledge(roomId: string, newestId: string | undefined, isAtEnd: boolean): void {
  const isSeen = isAtEnd && hasFocus.value
  useEffect(() => {
    if (!isSeen) return
    roomInSight.value = roomId
    return () => {
      roomInSight.value = undefined
    }
  }, [roomId, isSeen])
  useEffect(() => {
    if (!isSeen || newestId === undefined) return
    const timer = setTimeout(() => acknowledge(roomId, newestId), seenMs)
    return () => clearTimeout(timer)
  }, [roomId, newestId, isSeen])
}

/** Marks a room as read up to a message, if it is not. */
export function acknowledge(roomId: string, messageId: string): void {
  const read = store.readStates.peek()[roomId]?.message_id ?? '0'
  if (compareIds(messageId, read) <= 0) return
  // What is not acknowledged now is when the room is next seen.
  api.call('ackMessage', { params: { id: roomId, message_id: messageId } }).catch(() => {})
}
