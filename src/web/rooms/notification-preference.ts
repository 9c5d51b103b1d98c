import type { Room, State } from '../state/state.ts'

/** As the API numbers them. */
export const notificationPreference = { all: 0, mentions: 1, none: 2 } as const

/** Which messages of a room to notify: without a setting of it the mentions, and all in private rooms. */
export function preferenceIn(settings: State['settings'], { id, house_id }: Room): number {
  const ofRoom = settings?.room_overrides[id]?.notification_preference
  return ofRoom ?? (house_id === null ? notificationPreference.all : notificationPreference.mentions)
}

/** Whether a room is muted: it shows neither notifications nor marks. */
export function isMuted(settings: State['settings'], room: Room): boolean {
  return preferenceIn(settings, room) === notificationPreference.none
}
