export type Presence = 'online' | 'offline'

/** This process, among those that share a bus. */
const here = 'here'

/** User → the processes at which they have a gateway connection. */
const places = new Map<string, Set<string>>()

/** Whether a user has a gateway connection now, at any process. */
export function presenceOf(userId: string): Presence {
  return places.has(userId) ? 'online' : 'offline'
}

/** Sets the presence of a user at one process. Returns whether that changes what `presenceOf` says. */
export function setPresence(userId: string, presence: Presence, processId = here): boolean {
  const before = presenceOf(userId)
  const at = places.get(userId) ?? new Set()
  if (presence === 'online') at.add(processId)
  else at.delete(processId)
  if (at.size > 0) places.set(userId, at)
  else places.delete(userId)
  return presenceOf(userId) !== before
}

/** Everybody who is online at one process. */
export function usersAt(processId = here): string[] {
  return [...places].filter(([, at]) => at.has(processId)).map(([userId]) => userId)
}
