import { compareIds } from '../state/records.ts'
import type { Message, Room, State } from '../state/state.ts'

/** As the API numbers them. */
const preference = { all: 0, mentions: 1, none: 2 }

/** Which messages of a room are to be notified: without a setting of it the mentions, and all in private rooms. */
export function preferenceIn(settings: State['settings'], { id, house_id }: Room): number {
  const ofRoom = settings?.room_overrides[id]?.notification_preference
  return ofRoom ?? (house_id === null ? preference.all : preference.mentions)
}

/** Whether one wants no notification of a room, nor marks of it. */
export function isMuted(settings: State['settings'], room: Room): boolean {
  return preferenceIn(settings, room) === preference.none
}

/** Whether a message is to be notified. */
export function isNotifiable(
  { me, rooms, settings }: Pick<State, 'me' | 'rooms' | 'settings'>,
  message: Pick<Message, 'room_id' | 'author_id' | 'mentions'>,
): boolean {
  const room = rooms[message.room_id]
  if (!me || !room || message.author_id === me.id || settings?.enable_desktop_notifications === false)
    return false
  const wanted = preferenceIn(settings, room)
  if (wanted === preference.mentions) return message.mentions.some(({ id }) => id === me.id)
  return wanted === preference.all
}

/** Whether a message was read, here or elsewhere. */
export function isRead(
  { readStates }: Pick<State, 'readStates'>,
  roomId: string,
  messageId: string,
): boolean {
  return compareIds(messageId, readStates[roomId]?.message_id ?? '0') <= 0
}
