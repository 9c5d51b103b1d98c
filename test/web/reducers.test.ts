import { expect, test } from 'vitest'
import type { EventName, Events } from '../../src/client/events.ts'
import { reducers } from '../../src/web/state/reducers/index.ts'
import { emptyState, type Room, type State, type User } from '../../src/web/state/state.ts'

const now = Date.UTC(2026, 0, 1)

/** The state after these events, each applied to frozen state, so that a change in place is an exception. */
function after(...events: { [Name in EventName]: [Name, Events[Name]] }[EventName][]): State {
  return follow(emptyState, events)
}

function follow(state: State, events: readonly (readonly [EventName, object])[]): State {
  let current = state
  for (const [name, d] of events) {
    current = { ...current, ...reducers[name](deepFreeze(current), deepFreeze(d) as never, now) }
  }
  return current
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).map(deepFreeze)
  return value
}

function user(id: string, changes: Partial<User> = {}): User {
  const empty = {
    icon: null,
    header: null,
    flags: 0,
    user_flags: '0',
    bot: false,
    bio: '',
    website: '',
    location: '',
  }
  return {
    id,
    username: `u${id}`,
    name: `U${id}`,
    presence: 'offline',
    email_verified: true,
    ...empty,
    ...changes,
  }
}

function room(id: string, changes: Partial<Room> = {}): Room {
  const none = {
    emoji: null,
    description: null,
    permission_overrides: null,
    default_permission_override: null,
  }
  return {
    id,
    house_id: '10',
    name: `room ${id}`,
    position: 0,
    type: 0,
    last_message_id: null,
    recipients: null,
    owner_id: null,
    ...none,
    ...changes,
  }
}

function member(userId: string, changes: Partial<User> = {}): Events['HOUSE_MEMBER_JOIN'] {
  const given = user(userId, changes)
  return {
    id: userId,
    user_id: userId,
    house_id: '10',
    user: given,
    roles: [],
    presence: given.presence,
    last_permission_update: null,
    joined_at: '2026-01-01T00:00:00.000Z',
  }
}

function house(...rooms: Room[]): Events['HOUSE_JOIN'] {
  const own = {
    id: '10',
    name: 'Den',
    owner_id: '1',
    icon: null,
    banner: null,
    type: 0,
    default_permissions: 3,
  }
  return { ...own, rooms, members: [member('1'), member('2')], entities: [], roles: [] }
}

function message(id: string, authorId: string, changes: object = {}): Events['MESSAGE_CREATE'] {
  return {
    id,
    room_id: '20',
    house_id: '10',
    author_id: authorId,
    author: user(authorId),
    member: member(authorId),
    content: `message ${id}`,
    timestamp: now,
    mentions: [],
    exploding: null,
    exploding_age: null,
    device_id: '5',
    bucket: 0,
    attachment: null,
    ...changes,
  }
}

const login: ['INIT_STATE', Events['INIT_STATE']] = [
  'INIT_STATE',
  {
    user: user('1'),
    settings: {
      user_id: '1',
      theme: null,
      room_overrides: {},
      onboarded: true,
      enable_desktop_notifications: null,
    },
    relationships: {
      3: { user_id: '3', user: user('3', { presence: 'online' }), type: 3, last_updated_at: '' },
    },
    read_state: { 20: { message_id: '100', mention_count: 1 } },
    private_rooms: [room('30', { house_id: null, type: 1, recipients: [user('1'), user('3')] })],
    presences: {},
    house_memberships: { 10: member('1') },
    house_ids: ['10'],
    session_id: 's',
  },
]
const joined: ['HOUSE_JOIN', Events['HOUSE_JOIN']] = ['HOUSE_JOIN', house(room('20'), room('21'))]

test('a login gives oneself, private rooms, relationships and who is online', () => {
  const state = after(login)
  expect(state.me?.id).toBe('1')
  expect(Object.keys(state.rooms)).toEqual(['30'])
  expect(state.relationships['3']?.type).toBe(3)
  expect(Object.keys(state.online)).toEqual(['3'])
  expect(state.houseOrder).toEqual(['10'])
})

test('houses are awaited from a login until their HOUSE_JOIN', () => {
  expect(after(login).awaitedHouses).toEqual(['10'])
  expect(after(login, joined).awaitedHouses).toEqual([])
  expect(after(login, joined, login).awaitedHouses).toEqual(['10'])
})

test('a second login keeps houses until they come again, and marks timelines as stale', () => {
  const state = after(login, joined)
  const timelines = { 20: { messages: [], hasOlder: false, hasNewer: false, isStale: false } }
  const again = reducers.INIT_STATE({ ...state, timelines }, login[1], now)
  expect(again.houses).toEqual(state.houses)
  expect(again.timelines?.['20']?.isStale).toBe(true)
  const without = reducers.INIT_STATE(state, { ...login[1], house_ids: [] }, now)
  expect(without.houses).toEqual({})
  expect(Object.keys(without.rooms ?? {})).toEqual(['30'])
})

test('a login of another person keeps nothing of the one before', () => {
  const state = after(login, joined)
  const timelines = { 20: { messages: [], hasOlder: false, hasNewer: false, isStale: false } }
  const other = reducers.INIT_STATE({ ...state, timelines }, { ...login[1], user: user('7') }, now)
  expect([other.timelines, other.houses, other.users?.['2']]).toEqual([{}, {}, undefined])
})

test('a house brings rooms and members, and takes what it has lost', () => {
  const state = after(login, joined, ['HOUSE_UPDATE', house(room('21'))])
  expect(Object.keys(state.rooms).sort()).toEqual(['21', '30'])
  expect(Object.keys(state.members['10'] ?? {})).toEqual(['1', '2'])
})

test.each(['HOUSE_LEAVE', 'HOUSE_DOWN'] as const)('after %s nothing of the house is left', (name) => {
  const d = { id: '1', house_id: '10', unavailable: true }
  const state = after(login, joined, [name, d as never])
  expect(state.houses).toEqual({})
  expect(state.houseOrder).toEqual([])
  expect(Object.keys(state.rooms)).toEqual(['30'])
  expect(state.readStates).toEqual({})
})

test('members come, go online and offline, and leave', () => {
  const online = after(login, joined, ['HOUSE_MEMBER_ENTER', member('4', { presence: 'online' })])
  expect(Object.keys(online.online).sort()).toEqual(['3', '4'])
  const left = reducers.HOUSE_MEMBER_LEAVE(online, member('4'), now)
  expect(Object.keys(left.members?.['10'] ?? {})).toEqual(['1', '2'])
  expect(
    Object.keys(reducers.HOUSE_MEMBER_EXIT(online, { id: '4', house_id: '10' }, now).online ?? {}),
  ).toEqual(['3'])
})

test('messages are appended, edited and deleted where the room is loaded', () => {
  const state = after(login, joined)
  const empty = { messages: [], hasOlder: false, hasNewer: false, isStale: false }
  const loaded: State = { ...state, timelines: { 20: empty } }
  const steps: [EventName, object][] = [
    ['MESSAGE_CREATE', message('101', '2')],
    ['MESSAGE_CREATE', message('102', '2')],
    ['MESSAGE_CREATE', message('101', '2')],
    ['MESSAGE_UPDATE', { ...message('102', '2', { content: 'new' }), edited_at: '2026-01-01T00:00:00.000Z' }],
    ['MESSAGE_DELETE', { id: '101', message_id: '101', room_id: '20', house_id: '10' }],
  ]
  const end = follow(loaded, steps)
  expect(end.timelines['20']?.messages).toMatchObject([{ id: '102', content: 'new', edited_at: now }])
  expect(end.rooms['20']?.last_message_id).toBe('102')
})

test('while newer messages are not loaded, a new one is not put behind a gap', () => {
  const gap = { messages: [], hasOlder: true, hasNewer: true, isStale: false }
  const state: State = { ...after(login, joined), timelines: { 20: gap } }
  expect(reducers.MESSAGE_CREATE(state, message('101', '2'), now).timelines?.['20']).toBe(gap)
})

test('mentions are counted until one reads or writes', () => {
  const mentioning = message('101', '2', { mentions: [user('1')] })
  const mentioned = after(login, joined, ['MESSAGE_CREATE', mentioning])
  expect(mentioned.readStates['20']).toEqual({ message_id: '100', mention_count: 2 })
  const acked = { room_id: '20', message_id: '101', mention_count: 0 }
  expect(reducers.READ_STATE_UPDATE(mentioned, acked, now).readStates?.['20']?.mention_count).toBe(0)
  const answered = reducers.MESSAGE_CREATE(mentioned, message('102', '1'), now)
  expect(answered.readStates?.['20']).toEqual({ message_id: '102', mention_count: 0 })
})

test('a mention by somebody blocked or restricted is not counted', () => {
  const mentioning = message('101', '2', { mentions: [user('1')] })
  for (const type of [4, 5]) {
    const ignored = { user_id: '2', recipient_id: '1', user: user('2'), type, last_updated_at: '' }
    const state = after(
      login,
      joined,
      ['RELATIONSHIP_UPDATE', ignored as never],
      ['MESSAGE_CREATE', mentioning],
    )
    expect(state.readStates['20']).toEqual({ message_id: '100', mention_count: 1 })
  }
})

test('typing ends after ten seconds or with a message, and is not one’s own', () => {
  const typing = { timestamp: now, room_id: '20', house_id: '10', author_id: '2' }
  const state = after(login, joined, ['TYPING_START', typing])
  expect(state.typing['20']).toEqual({ 2: now + 10_000 })
  expect(reducers.MESSAGE_CREATE(state, message('101', '2'), now).typing?.['20']).toEqual({})
  expect(reducers.TYPING_START(state, { ...typing, author_id: '1' }, now)).toEqual({})
})

test('a relationship of type 0 is none', () => {
  const state = after(login)
  const { recipient_id = '1', ...known } = { ...state.relationships['3']!, type: 0 }
  expect(reducers.RELATIONSHIP_UPDATE(state, { recipient_id, ...known }, now).relationships).toEqual({})
})

test('roles stand highest first, and go', () => {
  const role = { house_id: '10', level: 1, color: '', allow: 0, deny: 0 }
  const state = after(
    login,
    joined,
    ['ROLE_CREATE', { ...role, id: '40', name: 'low', position: 1 }],
    ['ROLE_CREATE', { ...role, id: '41', name: 'high', position: 2 }],
    ['ROLE_UPDATE', { ...role, id: '40', name: 'higher', position: 3 }],
  )
  expect(state.houses['10']?.roles.map(({ name }) => name)).toEqual(['higher', 'high'])
  const rest = reducers.ROLE_DELETE(state, { id: '40', house_id: '10' }, now)
  expect(rest.houses?.['10']?.roles.map(({ name }) => name)).toEqual(['high'])
})

test('one’s own profile changes with USER_UPDATE', () => {
  const state = after(login, ['USER_UPDATE', user('1', { name: 'New' })])
  expect(state.me?.name).toBe('New')
  expect(state.users['1']?.name).toBe('New')
})

test('reactions are counted as the server says, keep their order, and survive an edit', () => {
  const place = { room_id: '20', house_id: '10', message_id: '101' }
  const react = (emoji: string, user_id: string, added: boolean, count: number) =>
    ['REACTION_UPDATE', { ...place, emoji, user_id, added, count }] as const
  const empty = { messages: [], hasOlder: false, hasNewer: false, isStale: false }
  const known: State = { ...after(login, joined), timelines: { 20: empty } }
  const start = follow(known, [['MESSAGE_CREATE', message('101', '2')]])
  const reactions = (state: State) => state.timelines['20']?.messages[0]?.reactions
  const state = follow(start, [
    react('👍', '2', true, 1),
    react('🎉', '1', true, 1),
    react('👍', '1', true, 2),
  ])
  const both = [
    { emoji: '👍', count: 2, me: true },
    { emoji: '🎉', count: 1, me: true },
  ]
  expect(reactions(state)).toEqual(both)
  const edited = {
    ...message('101', '2'),
    edited_at: '2026-01-01T00:00:00.000Z',
    embed: null,
    metadata: null,
  }
  expect(reactions(follow(state, [['MESSAGE_UPDATE', edited]]))).toEqual(both)
  const less = follow(state, [react('👍', '1', false, 1), react('🎉', '1', false, 0)])
  expect(reactions(less)).toEqual([{ emoji: '👍', count: 1, me: false }])
  expect(
    follow(start, [['PIN_UPDATE', { ...place, pinned: true }]]).timelines['20']?.messages[0]?.pinned,
  ).toBe(true)
})

test('replies show the message they answer as it is, and that it is gone', () => {
  const empty = { messages: [], hasOlder: false, hasNewer: false, isStale: false }
  const known: State = { ...after(login, joined), timelines: { 20: empty } }
  const reply_to = { id: '101', author: user('2'), content: 'before' }
  const start = follow(known, [
    ['MESSAGE_CREATE', message('101', '2')],
    ['MESSAGE_CREATE', { ...message('102', '2'), reply_to, pinned: false }],
  ])
  const quote = (state: State) => state.timelines['20']?.messages.at(-1)?.reply_to
  expect(quote(start)?.content).toBe('before')
  const edited = { ...message('101', '2'), content: 'after', edited_at: '2026-01-01T00:00:00.000Z' }
  expect(
    quote(follow(start, [['MESSAGE_UPDATE', { ...edited, embed: null, metadata: null }]]))?.content,
  ).toBe('after')
  const gone = { id: '101', message_id: '101', room_id: '20', house_id: '10' }
  expect(quote(follow(start, [['MESSAGE_DELETE', gone]]))).toEqual({ id: '101', author: null, content: null })
})

test('what a replay counts is not counted twice, what comes after it is', () => {
  const mention = { mentions: [user('1')] }
  const lost = { ...after(login, joined), recounted: {} }
  const counted: [EventName, object][] = [
    ['MESSAGE_CREATE', message('101', '2', mention)],
    ['READ_STATE_UPDATE', { room_id: '20', message_id: '100', mention_count: 2 }],
    ['MESSAGE_CREATE', message('102', '2', mention)],
    ['MESSAGE_CREATE', message('103', '2', { room_id: '21', ...mention })],
  ]
  const replayed = follow(lost, counted)
  expect(replayed.readStates).toMatchObject({ 20: { mention_count: 2 }, 21: { mention_count: 1 } })
  const resumed = follow(replayed, [['RESUMED', { session_id: 's', seq: 9 }]])
  const next = follow(resumed, [['MESSAGE_CREATE', message('104', '2', mention)]])
  expect(next.readStates['20']).toEqual({ message_id: '100', mention_count: 3 })
})
