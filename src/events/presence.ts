export type Presence = 'online' | 'offline'

/** Stands for this process. */
const here = 'here'

/** Process → the users who have a gateway connection there. */
const places = new Map<string, Set<string>>()
/** User → the number of processes at which they have one. */
const counts = new Map<string, number>()

/** Whether a user has a gateway connection now, at any process. */
export function presenceOf(userId: string): Presence {
  return counts.has(userId) ? 'online' : 'offline'
}

/** Sets the presence of a user at one process. Returns whether that changes what `presenceOf` says. */
export function setPresence(userId: string, presence: Presence, processId = here): boolean {
  const users = places.get(processId) ?? new Set()
  if (users.has(userId) === (presence === 'online')) return false
  const before = counts.get(userId) ?? 0
  const after = presence === 'online' ? before + 1 : before - 1
  if (presence === 'online') users.add(userId)
  else users.delete(userId)
  if (users.size > 0) places.set(processId, users)
  else places.delete(processId)
  if (after > 0) counts.set(userId, after)
  else counts.delete(userId)
  return before === 0 || after === 0
}

/** Sets a user offline at every process. Returns whether that changes what `presenceOf` says. */
export function forgetPresence(userId: string): boolean {
  const wasOnline = counts.has(userId)
  for (const processId of [...places.keys()]) setPresence(userId, 'offline', processId)
  return wasOnline
}

/** Everybody who is online at one process. */
export function usersAt(processId = here): string[] {
  return [...(places.get(processId) ?? [])]
}

/** Everybody who is online at another process. */
export function usersElsewhere(): string[] {
  return [...places].flatMap(([processId, users]) => (processId === here ? [] : [...users]))
}
