import { roomName } from '../rooms/rooms.ts'
import { bestMatches } from '../shell/best-matches.ts'
import type { Room, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import type { BegunWord } from './completion.ts'
import { allEmoji } from './emoji.ts'

/** What a word that one has begun may become. */
export type Candidate = { key: string; insert: string; text: string; note?: string; user?: User }

const mostCandidates = 8

/** Who can be mentioned in a room. */
export function peopleIn(room: Room): User[] {
  const members = Object.values(store.members.value[room.house_id ?? ''] ?? {}).map(({ user }) => user)
  const known = room.house_id === null ? (room.recipients ?? []) : members
  return known.map((user) => store.users.value[user.id] ?? user)
}

/** What the word may become, the best first. */
export function candidatesFor({ trigger, query }: BegunWord, room: Room): Candidate[] {
  if (trigger === '@') {
    const people = bestMatches(
      peopleIn(room),
      ({ username, name }) => [username, name],
      query,
      mostCandidates,
    )
    return people.map((user) => ({
      key: user.id,
      insert: `@${user.username}`,
      text: user.name,
      note: `@${user.username}`,
      user,
    }))
  }
  if (trigger === '#') {
    const rooms = Object.values(store.rooms.value).filter(
      ({ house_id }) => house_id !== null && house_id === room.house_id,
    )
    return bestMatches(rooms, (each) => [roomName(each)], query, mostCandidates).map((each) => ({
      key: each.id,
      insert: `#${roomName(each)}`,
      text: `# ${roomName(each)}`,
    }))
  }
  return bestMatches(allEmoji.value, ({ names }) => names, query, mostCandidates).map(({ text, names }) => ({
    key: text,
    insert: text,
    text: `${text} :${names[0]}:`,
  }))
}
