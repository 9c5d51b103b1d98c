import { expect, test } from 'vitest'
import { isNotifiable, isRead, notifiedText } from '../../src/web/messages/notifiable.ts'
import type { State } from '../../src/web/state/state.ts'

const rooms = { 1: { id: '1', house_id: '9' }, 2: { id: '2', house_id: null } } as unknown as State['rooms']

type Given = { preference?: number; enabled?: boolean; relationship?: number }

function wants(roomId: string, isMention: boolean, { preference, enabled, relationship }: Given = {}) {
  const overrides = preference === undefined ? {} : { [roomId]: { notification_preference: preference } }
  const settings = {
    enable_desktop_notifications: enabled ?? null,
    room_overrides: overrides,
  } as State['settings']
  const me = { id: '5' } as State['me']
  const mentions = isMention ? [{ id: '5' }] : []
  const relationships = (relationship ? { 6: { type: relationship } } : {}) as State['relationships']
  return isNotifiable({ me, rooms, settings, relationships }, {
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
