import { computed, signal } from '@preact/signals'
import { compareIds } from '../state/records.ts'
import type { ReadState, Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { isMuted } from './notification-preference.ts'

/** What is unread somewhere: whether there is something, and how many messages mention one. */
export type Unread = { isUnread: boolean; mentions: number }

/** The room whose end is being seen: what comes there is read at once, before the server says so. */
export const roomInSight = signal<string | undefined>(undefined)

/** What is unread in a room. */
export function unreadIn(room: Room, readState: ReadState | undefined): Unread {
  const { id, last_message_id } = room
  if (id === roomInSight.value) return { isUnread: false, mentions: 0 }
  const isUnread = last_message_id !== null && compareIds(last_message_id, readState?.message_id ?? '0') > 0
  return { isUnread, mentions: isUnread ? (readState?.mention_count ?? 0) : 0 }
}

/** Whether a room has unread messages. */
export function isUnread(room: Room): boolean {
  return unreadIn(room, store.readStates.value[room.id]).isUnread
}

/** All together. A room that is muted does not count. */
function together(rooms: readonly Room[]): Unread {
  const [settings, readStates] = [store.settings.value, store.readStates.value]
  const each = rooms
    .filter((room) => !isMuted(settings, room))
    .map((room) => unreadIn(room, readStates[room.id]))
  return {
    isUnread: each.some(({ isUnread }) => isUnread),
    mentions: each.reduce((sum, { mentions }) => sum + mentions, 0),
  }
}

const roomsByHouse = computed(() => Map.groupBy(Object.values(store.rooms.value), (room) => room.house_id))

/** What one has not read in a house. */
export function houseUnread(houseId: string): Unread {
  return together(roomsByHouse.value.get(houseId) ?? [])
}

/** What one has not read in private rooms. */
export const privateUnread = computed(() => together(roomsByHouse.value.get(null) ?? []))

/** What one has not read at all. */
export const allUnread = computed(() => together(Object.values(store.rooms.value)))
