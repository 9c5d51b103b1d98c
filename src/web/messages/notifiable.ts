import { notificationPreference, preferenceIn } from '../rooms/notification-preference.ts'
import { compareIds } from '../state/records.ts'
import { isIgnored } from '../state/relationships.ts'
import type { Message, State } from '../state/state.ts'

const longestText = 200

/** Whether a message is to be notified. */
export function isNotifiable(
  state: Pick<State, 'me' | 'rooms' | 'settings' | 'relationships'>,
  message: Pick<Message, 'room_id' | 'author_id' | 'mentions'>,
): boolean {
  const { me, rooms, settings } = state
  const room = rooms[message.room_id]
  if (!me || !room || settings?.enable_desktop_notifications === false) return false
  if (message.author_id === me.id || isIgnored(state, message.author_id)) return false
  const wanted = preferenceIn(settings, room)
  if (wanted === notificationPreference.mentions) return message.mentions.some(({ id }) => id === me.id)
  return wanted === notificationPreference.all
}

/** Whether to announce a message of another room to screen readers: mentions and private messages, unless muted. */
export function isAnnounced(
  state: Pick<State, 'me' | 'rooms' | 'settings' | 'relationships'>,
  message: Pick<Message, 'room_id' | 'author_id' | 'mentions'>,
): boolean {
  const { me, rooms, settings } = state
  const room = rooms[message.room_id]
  if (!me || !room || message.author_id === me.id || isIgnored(state, message.author_id)) return false
  const wanted = preferenceIn(settings, room)
  if (room.house_id === null && wanted === notificationPreference.all) return true
  return wanted !== notificationPreference.none && message.mentions.some(({ id }) => id === me.id)
}

/** Whether a message was read, here or elsewhere. */
export function isRead(
  { readStates }: Pick<State, 'readStates'>,
  roomId: string,
  messageId: string,
): boolean {
  return compareIds(messageId, readStates[roomId]?.message_id ?? '0') <= 0
}

/** The text of a notification: empty if the message explodes, as it may outlive it. `text`: the content in words. */
export function notifiedText(
  { explodes_at, attachment }: Pick<Message, 'explodes_at' | 'attachment'>,
  text: string,
): string {
  if (explodes_at !== null) return ''
  return text.slice(0, longestText) || attachment?.filename || ''
}
