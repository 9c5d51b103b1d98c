import type { GatewayEvent } from './events.ts'

/** The most members of a HOUSE_JOIN, and the size from which on a frame may lack some (docs/gateway.md#init_state-and-large-states). */
const mostListed = 2_500
const largestWholeBytes = 3.4 * 1024 * 1024

/** The houses of which HOUSE_JOIN has listed all members. */
export function listedMembers() {
  const whole = new Set<string>()
  return {
    has: (houseId: string) => whole.has(houseId),
    /** To be called with each event and the length of its frame. */
    note({ e, d }: GatewayEvent, bytes: number): void {
      if (e !== 'HOUSE_JOIN') return
      if (d.members.length < mostListed && bytes < largestWholeBytes) whole.add(d.id)
      else whole.delete(d.id)
    },
  }
}
