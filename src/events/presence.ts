export type Presence = 'online' | 'offline'

const online = new Set<string>()

/** Whether a user has a gateway connection at any process, up to the position that this process has read. */
export function presenceOf(userId: string): Presence {
  return online.has(userId) ? 'online' : 'offline'
}

export function setPresence(userId: string, presence: Presence): void {
  if (presence === 'online') online.add(userId)
  else online.delete(userId)
}

/** Sets these users online, and everybody else offline. */
export function setOnline(userIds: readonly string[]): void {
  online.clear()
  for (const id of userIds) online.add(id)
}

const maxChanges = 20_000

/** The users whose presence changed last, with the position in the log. */
export type PresenceChanges = { knownAfter: number; positions: Map<string, number> }

export function addPresenceChange(changes: PresenceChanges, userId: string, position: number): void {
  const { positions } = changes
  // The oldest change is the first of the map.
  positions.delete(userId)
  positions.set(userId, position)
  if (positions.size <= maxChanges) return
  const [oldest, upTo] = positions.entries().next().value!
  positions.delete(oldest)
  changes.knownAfter = upTo
}

/** The users whose presence has changed since a position; undefined where that is not known. */
export function usersChangedSince({ knownAfter, positions }: PresenceChanges, position: number) {
  if (position < knownAfter) return undefined
  return [...positions].flatMap(([userId, changedAt]) => (changedAt > position ? [userId] : []))
}
