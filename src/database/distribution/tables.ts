/** A table of the message store, and the column whose hash says on which shard a row is. */
export type StoreTable = { name: string; column: 'room_id' | 'user_id' }

/**
 * The message store: what grows with every message and reaction, by room, and what each user has of it, by user. Tables
 * with the same column are colocated: what one room has is on one shard.
 */
export const storeTables: readonly StoreTable[] = [
  { name: 'messages', column: 'room_id' },
  { name: 'room_heads', column: 'room_id' },
  { name: 'reactions', column: 'room_id' },
  { name: 'reaction_counts', column: 'room_id' },
  { name: 'pins', column: 'room_id' },
  { name: 'mentions', column: 'user_id' },
  { name: 'read_states', column: 'user_id' },
]
