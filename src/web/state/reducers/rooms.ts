import { indexBy, put, without } from '../records.ts'
import type { Reducer, Room, State } from '../state.ts'
import { withUsers } from './people.ts'

/** TYPING_START counts for so long. */
const typingMs = 10_000

export function roomUpdate(state: State, room: Room): Partial<State> {
  return withRooms(state, [room])
}

/** Rooms and the people in them, with what these say. */
export function withRooms(state: State, seen: readonly Room[]): Partial<State> {
  const people = seen.flatMap(({ recipients }) => recipients ?? [])
  return { ...withUsers(state, people), rooms: { ...state.rooms, ...indexBy(seen, ({ id }) => id) } }
}

/** What was read stays: it holds again if the room comes back into sight. */
export const roomDelete: Reducer<'ROOM_DELETE'> = ({ rooms, timelines, typing }, { id }) => ({
  rooms: without(rooms, id),
  timelines: without(timelines, id),
  typing: without(typing, id),
})

export const typingStart: Reducer<'TYPING_START'> = ({ me, typing }, { room_id, author_id }, now) => {
  if (author_id === me?.id) return {}
  return { typing: put(typing, room_id, put(typing[room_id] ?? {}, author_id, now + typingMs)) }
}

export const readStateUpdate: Reducer<'READ_STATE_UPDATE'> = ({ readStates, recounted }, d) => {
  const { room_id, message_id, mention_count } = d
  return {
    readStates: put(readStates, room_id, { message_id, mention_count }),
    ...(recounted && { recounted: put(recounted, room_id, true) }),
  }
}
