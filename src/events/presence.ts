export type Presence = 'online' | 'offline'

const online = new Set<string>()

/** Whether a user has a gateway connection now. */
export function presenceOf(userId: string): Presence {
  return online.has(userId) ? 'online' : 'offline'
}

/** Sets what `presenceOf` says of a user. Returns whether that is a change. */
export function setPresence(userId: string, presence: Presence): boolean {
  if (presenceOf(userId) === presence) return false
  if (presence === 'online') online.add(userId)
  else online.delete(userId)
  return true
}
