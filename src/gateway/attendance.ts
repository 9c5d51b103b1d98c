import { type Presence, setPresence } from '../events/presence.ts'

/**
 * Keeps track of who is online: from the first connection that logs in, until a while after the last one has closed.
 */
export type Attendance = {
  arrive(userId: string): void
  leave(userId: string): void
  /** Sets a user offline, whatever connections they have. */
  forget(userId: string): void
  /** Sets everybody offline without publishing it. */
  stop(): void
}

/** `set` is called when a user comes online, or goes offline, at this process. */
export function createAttendance(
  offlineAfterMs: number,
  set: (userId: string, presence: Presence) => void,
): Attendance {
  const connections = new Map<string, number>()
  const leaving = new Map<string, NodeJS.Timeout>()

  function goOffline(userId: string): void {
    leaving.delete(userId)
    set(userId, 'offline')
  }

  return {
    arrive(userId) {
      const isNew = !connections.has(userId) && !leaving.has(userId)
      clearTimeout(leaving.get(userId))
      leaving.delete(userId)
      connections.set(userId, (connections.get(userId) ?? 0) + 1)
      if (isNew) set(userId, 'online')
    },
    leave(userId) {
      const left = (connections.get(userId) ?? 1) - 1
      if (left > 0) {
        connections.set(userId, left)
        return
      }
      connections.delete(userId)
      leaving.set(userId, setTimeout(goOffline, offlineAfterMs, userId).unref())
    },
    forget(userId) {
      const wasHere = connections.has(userId) || leaving.has(userId)
      clearTimeout(leaving.get(userId))
      leaving.delete(userId)
      if (wasHere) set(userId, 'offline')
    },
    stop() {
      for (const timer of leaving.values()) clearTimeout(timer)
      for (const userId of [...connections.keys(), ...leaving.keys()]) setPresence(userId, 'offline')
      connections.clear()
      leaving.clear()
    },
  }
}
