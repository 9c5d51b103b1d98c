import { expect, test } from 'vitest'
import { isNotifiable, isRead } from '../../src/web/messages/notifiable.ts'
import type { State } from '../../src/web/state/state.ts'

const rooms = { 1: { id: '1', house_id: '9' }, 2: { id: '2', house_id: null } } as unknown as State['rooms']

function wants(roomId: string, isMention: boolean, preference?: number, enabled: boolean | null = null) {
  const overrides = preference === undefined ? {} : { [roomId]: { notification_preference: preference } }
  const settings = { enable_desktop_notifications: enabled, room_overrides: overrides } as State['settings']
  const me = { id: '5' } as State['me']
  const mentions = isMention ? [{ id: '5' }] : []
  return isNotifiable({ me, rooms, settings }, { room_id: roomId, author_id: '6', mentions } as never)
}

test('without a setting mentions and private rooms are notified of', () => {
  expect([wants('1', false), wants('1', true), wants('2', false)]).toEqual([false, true, true])
})

test('the settings of a room and of the account decide', () => {
  expect([wants('1', false, 0), wants('2', false, 1), wants('2', true, 1), wants('2', true, 2)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect(wants('2', true, 0, false)).toBe(false)
})

test('what was read up to is read', () => {
  const readStates = { 1: { message_id: '10', mention_count: 0 } }
  expect([isRead({ readStates }, '1', '9'), isRead({ readStates }, '1', '11')]).toEqual([true, false])
})
