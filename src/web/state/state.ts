import type { Events } from '../../client/events.ts'
import type { Message } from '../../client/messages.ts'

export type User = Events['USER_UPDATE']
/** What people write about themselves. */
export type Profile = Pick<User, 'bio' | 'location' | 'website' | 'header'>
export type Member = Events['HOUSE_MEMBER_JOIN']
export type Room = Events['ROOM_CREATE']
export type Relationship = Events['RELATIONSHIP_UPDATE']
export type Settings = Events['SETTINGS_UPDATE']
export type Role = Events['ROLE_CREATE']
/** Rooms and members are kept apart from their house. */
export type House = Omit<Events['HOUSE_JOIN'], 'rooms' | 'members'>
export type ReplyTo = NonNullable<Message['reply_to']>
export type { Message }

/** The messages of a room that are known, without gaps, oldest first. */
export type Timeline = {
  messages: Message[]
  /** Whether the server has older ones. */
  hasOlder: boolean
  /** Whether the server has newer ones: what is sent meanwhile is not appended then. */
  hasNewer: boolean
  /** Events may have been missed since it was loaded. */
  isStale: boolean
}

export type ReadState = { message_id: string; mention_count: number }

export type ById<Value> = Record<string, Value>

/** What the server has sent, by kind. Each part is replaced, never changed in place. */
export type State = {
  me: User | undefined
  settings: Settings | undefined
  /** Ids, in the order of joining. */
  houseOrder: string[]
  /** Ids of houses that are still to come after a login: what is known of them may be old. */
  awaitedHouses: string[]
  houses: ById<House>
  rooms: ById<Room>
  /** By house, then by user. */
  members: ById<ById<Member>>
  users: ById<User>
  online: ById<true>
  relationships: ById<Relationship>
  readStates: ById<ReadState>
  /** While missed events are replayed: the rooms whose read state has come, and counts what the replay still brings. */
  recounted: ById<true> | undefined
  /** By room. */
  timelines: ById<Timeline>
  /** By room, then by user: until when, in ms since 1970. */
  typing: ById<ById<number>>
}

export const emptyState: State = {
  me: undefined,
  settings: undefined,
  houseOrder: [],
  awaitedHouses: [],
  houses: {},
  rooms: {},
  members: {},
  users: {},
  online: {},
  relationships: {},
  readStates: {},
  recounted: undefined,
  timelines: {},
  typing: {},
}

/** A reducer per event: what changes, by kind. `now` is in ms since 1970. */
export type Reducer<Name extends keyof Events> = (
  state: State,
  d: Events[Name],
  now: number,
) => Partial<State>
