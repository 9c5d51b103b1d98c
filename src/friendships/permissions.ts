import type { BlockRow } from './queries.ts'

/** Relationship types (docs/api.md#enumerations), each as the one side sees it. */
export const relationshipType = {
  none: 0,
  outgoingRequest: 1,
  incomingRequest: 2,
  friends: 3,
  restricted: 4,
  blocked: 5,
} as const

/** Whether a caller may meet others in a room that is there already: nobody has blocked the other. */
export function canSeeEachOther(blocks: readonly BlockRow[]): boolean {
  return blocks.every((block) => block.type !== relationshipType.blocked)
}

/**
 * Whether a caller may start a room with others, or add them to a group: they may meet, and none has restricted them.
 */
export function canContact(blocks: readonly BlockRow[], callerId: string): boolean {
  return canSeeEachOther(blocks) && blocks.every((block) => block.user_id === callerId)
}

/** Whether a caller may ask for friendship: neither has blocked or restricted the other. */
export function canBefriend(blocks: readonly BlockRow[]): boolean {
  return blocks.length === 0
}
