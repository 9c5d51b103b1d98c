import type { Presence } from '../events/presence.ts'
import type { Payload } from './frames.ts'

/** Members of one house who came online or went offline, in order; with the event, once somebody was told of it. */
export type MembersPresence = {
  type: 'members_presence'
  house_id: string
  changes: { user_id: string; presence: Presence; event?: Payload }[]
}

/** Puts changes together that would wait one behind the other, when a crowd comes or goes at once. */
export type PresenceBatches = {
  /** Settles when the change has been told. */
  add(houseId: string, change: MembersPresence['changes'][0]): void | Promise<void>
  /** Nothing joins what waits in a house: it is told now, or something else comes behind it. */
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
