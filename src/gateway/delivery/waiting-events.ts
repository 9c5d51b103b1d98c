import type { HearthEvent } from '../../events/events.ts'

/** Equal events that wait to be sent. `sinceMs`: the time at which the first of them came, or one was last sent. */
type Equal = { last: HearthEvent; sinceMs: number }

/**
 * Joins equal events that wait: only the last is sent, because it has the whole present form. It keeps its position in
 * the log; at the positions of the others nothing is sent.
 */
export class WaitingEvents {
  readonly #byKey = new Map<string, Equal>()
  readonly #maxDelayMs: number
  readonly #now: () => number
  /** The number of events that were not sent because a later one replaced them. */
  joined = 0

  /** While equal events keep coming, one of them is sent each `maxDelayMs`. `now`: the clock, in ms. */
  constructor(maxDelayMs: number, now: () => number = () => performance.now()) {
    this.#maxDelayMs = maxDelayMs
    this.#now = now
  }

  /** Adds an event (no position: not in the log). Returns a function that tells, when its turn comes, whether to send it. */
  add(event: HearthEvent, position: number | undefined): () => boolean {
    if (!harmless.has(event.type)) this.#separate(event)
    const key = position === undefined ? undefined : keyOf(event)
    if (key === undefined) return always
    const equal = this.#byKey.get(key) ?? { last: event, sinceMs: this.#now() }
    equal.last = event
    this.#byKey.set(key, equal)
    return () => this.#isSent(event, key, equal)
  }

  #isSent(event: HearthEvent, key: string, equal: Equal): boolean {
    if (equal.last === event) {
      if (this.#byKey.get(key) === equal) this.#byKey.delete(key)
      return true
    }
    const isLate = this.#now() - equal.sinceMs >= this.#maxDelayMs
    if (isLate) equal.sinceMs = this.#now()
    else this.joined += 1
    return isLate
  }

  /** Keeps a change of what members can read before the events that are sent to those who can read something. */
  #separate(event: HearthEvent): void {
    if (this.#byKey.size === 0) return
    if ('house_id' in event && event.house_id !== null) this.#byKey.delete(visibilityKey(event.house_id))
  }
}

/** Events whose frames show each receiver only what they can read when the frame is made. */
const harmless: ReadonlySet<HearthEvent['type']> = new Set([
  'house_updated',
  'entities_updated',
  'visibility_changed',
  'role_updated',
  'room_updated',
  'member_updated',
])

const always = () => true

function visibilityKey(houseId: string): string {
  return `visibility_changed ${houseId}`
}

/** Events with the same key are equal: each carries the whole form. Undefined for an event that is always sent. */
function keyOf(event: HearthEvent): string | undefined {
  switch (event.type) {
    case 'house_updated':
    case 'entities_updated':
      return `${event.type} ${event.house_id}`
    case 'visibility_changed':
      return event.user_ids === null ? visibilityKey(event.house_id) : undefined
    case 'role_updated':
      return `${event.type} ${event.role.id}`
    case 'room_updated':
      return `${event.type} ${event.room_id} ${event.except_user_id ?? ''}`
    case 'member_updated':
      return `${event.type} ${event.house_id} ${event.user_id}`
    case 'user_updated':
      return `${event.type} ${event.user_id} ${event.only_self}`
    case 'settings_updated':
      return `${event.type} ${event.user_id}`
    case 'read_state_updated':
      return `${event.type} ${event.user_id} ${event.room_id}`
    case 'message_updated':
      return `${event.type} ${event.message_id}`
    default:
      return undefined
  }
}
