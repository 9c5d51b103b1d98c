import type { State } from './state.ts'

/** How one stands to somebody, as the API numbers it. */
export const relationshipType = {
  none: 0,
  outgoingRequest: 1,
  incomingRequest: 2,
  friends: 3,
  restricted: 4,
  blocked: 5,
} as const

/** Whether one has blocked or restricted somebody: their messages arrive, but do not count. */
export function isIgnored({ relationships }: Pick<State, 'relationships'>, userId: string): boolean {
  const type = relationships[userId]?.type
  return type === relationshipType.restricted || type === relationshipType.blocked
}
