import type { BlockRow } from './queries.ts'

/** Relationship types (docs/api.md#enumerations), from the view of one of the two users. */
export const relationshipType = {
  none: 0,
  outgoingRequest: 1,
  incomingRequest: 2,
  friends: 3,
  restricted: 4,
  blocked: 5,
} as const

/** Whether users may share an existing one-to-one room: none of them blocks another. */
export function canSeeEachOther(blocks: readonly BlockRow[]): boolean {
  return blocks.every((block) => block.type !== relationshipType.blocked)
}

/**
 * Whether a caller may create a room with others, or add them to a group: nobody blocks anybody, and none of the others
 * restricts the caller.
 */
export function canContact(blocks: readonly BlockRow[], callerId: string): boolean {
  return canSeeEachOther(blocks) && blocks.every((block) => block.user_id === callerId)
}

/** Whether a caller may send a friend request: neither blocks or restricts the other. */
export function canBefriend(blocks: readonly BlockRow[]): boolean {
  return blocks.length === 0
}
