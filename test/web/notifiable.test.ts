import { expect, test } from 'vitest'
import { isAnnounced, isNotifiable, isRead, notifiedText } from '../../src/web/messages/notifiable.ts'
import type { State } from '../../src/web/state/state.ts'

const rooms = { 1: { id: '1', house_id: '9' }, 2: { id: '2', house_id: null } } as unknown as State['rooms']

type Given = { preference?: number; enabled?: boolean; relationship?: number }

function wants(roomId: string, isMention: boolean, given: Given = {}, asks = isNotifiable) {
  const { preference, enabled, relationship } = given
  const overrides = preference === undefined ? {} : { [roomId]: { notification_preference: preference } }
  const settings = {
    enable_desktop_notifications: enabled ?? null,
    room_overrides: overrides,
  } as State['settings']
  const me = { id: '5' } as State['me']
  const mentions = isMention ? [{ id: '5' }] : []
  const relationships = (relationship ? { 6: { type: relationship } } : {}) as State['relationships']
  return asks({ me, rooms, settings, relationships }, {
    room_id: roomId,
    author_id: '6',
    mentions,
  } as never)
}

test('without a setting mentions and private rooms are notified of', () => {
  expect([wants('1', false), wants('1', true), wants('2', false)]).toEqual([false, true, true])
})

test('the settings of a room and of the account decide', () => {
  const [all, mentions, none] = [{ preference: 0 }, { preference: 1 }, { preference: 2 }]
  expect(wants('1', false, all)).toBe(true)
  expect(wants('2', false, mentions)).toBe(false)
  expect(wants('2', true, mentions)).toBe(true)
  expect(wants('2', true, none)).toBe(false)
  expect(wants('2', true, { preference: 0, enabled: false })).toBe(false)
})

test('messages of blocked and restricted people are not notified of', () => {
  const [restricted, blocked, friends] = [{ relationship: 4 }, { relationship: 5 }, { relationship: 3 }]
  expect([wants('1', true, restricted), wants('2', false, restricted)]).toEqual([false, false])
  expect([wants('1', true, blocked), wants('2', false, blocked)]).toEqual([false, false])
  expect([wants('1', true, friends), wants('2', false, friends)]).toEqual([true, true])
})

test('mentions and private messages are announced, whether or not the browser notifies of them', () => {
  const announces = (roomId: string, isMention: boolean, given: Given = {}) =>
    wants(roomId, isMention, given, isAnnounced)
  const [all, mentions, none] = [{ preference: 0, enabled: false }, { preference: 1 }, { preference: 2 }]
  expect([announces('1', false), announces('1', true), announces('2', false)]).toEqual([false, true, true])
  expect([announces('1', false, all), announces('1', true, all)]).toEqual([false, true])
  expect([announces('2', false, mentions), announces('2', true, mentions)]).toEqual([false, true])
  expect([announces('1', true, none), announces('2', true, none)]).toEqual([false, false])
  expect(announces('1', true, { relationship: 5 })).toBe(false)
})

test('what was read up to is read', () => {
  const readStates = { 1: { message_id: '10', mention_count: 0 } }
  expect([isRead({ readStates }, '1', '9'), isRead({ readStates }, '1', '11')]).toEqual([true, false])
})

test('a notification has the text of a message or the name of its file, and nothing of one that explodes', () => {
  const attachment = { filename: 'a.png' } as never
  expect(notifiedText({ explodes_at: null, attachment }, 'x'.repeat(300))).toBe('x'.repeat(200))
  expect(notifiedText({ explodes_at: null, attachment }, '')).toBe('a.png')
  expect(notifiedText({ explodes_at: null, attachment: null }, '')).toBe('')
  expect(notifiedText({ explodes_at: 1, attachment }, 'secret')).toBe('')
  expect(notifiedText({ explodes_at: 1, attachment }, '')).toBe('')
})
