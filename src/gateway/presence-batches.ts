import type { Presence } from '../events/presence.ts'
import type { Payload } from './frames.ts'

/** Members of one house who came online or went offline, in order. */
export type MembersPresence = { type: 'members_presence'; house_id: string; changes: PresenceChange[] }

/** A member who came online or went offline, with the event of that once it was made. */
export type PresenceChange = { user_id: string; presence: Presence; event?: Payload }

/** Puts changes of presence together that would otherwise wait for each other, when many users come or go at once. */
export type PresenceBatches = {
  /** Settles when the change has been told. */
  add(houseId: string, change: PresenceChange): void | Promise<void>
  /** Closes the waiting batch of a house: it is told now, or something else has to be told after it. */
  close(houseId: string): void
}

export function createPresenceBatches(
  dispatch: (fact: MembersPresence) => void | Promise<void>,
): PresenceBatches {
  const open = new Map<string, { fact: MembersPresence; told: void | Promise<void> }>()

  return {
    add(house_id, change) {
      const waiting = open.get(house_id)
      if (waiting) {
        waiting.fact.changes.push(change)
        return waiting.told
      }
      const fact: MembersPresence = { type: 'members_presence', house_id, changes: [change] }
      const batch = { fact, told: undefined as void | Promise<void> }
      open.set(house_id, batch)
      batch.told = dispatch(fact)
      return batch.told
    },
    close(houseId) {
      open.delete(houseId)
    },
  }
}
