import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import {
  moderatedHouse,
  noPermission,
  refusesUnreachableRooms,
  required,
  roomNotFound,
  told,
  wrongRoomType,
} from '../../support/permissions.ts'
import { roomRow } from '../../support/rooms.ts'
import { call, group, oneToOne, user } from '../../support/world.ts'

const { MANAGE_ROOMS, READ_MESSAGES, SEND_MESSAGES, KICK_MEMBERS } = permission

async function scene() {
  const den = await moderatedHouse(MANAGE_ROOMS)
  return { ...den, path: `/rooms/${den.room_id}/default-permissions` }
}

test('an override is set with a visibility event, and removed by two zeros', async () => {
  const { path, ...den } = await scene()
  const updated = { type: 'room_updated', room_id: den.room_id, house_id: den.id }
  const set = (body: object) => watching(() => call(den.moderator, 'PATCH', path, body))
  const one = await set({ allow: 0, deny: SEND_MESSAGES })
  expect(one.answer.status).toBe(200)
  expect(one.answer.body.data.default_permission_override).toEqual({ allow: 0, deny: SEND_MESSAGES })
  expect(await roomRow(den.room_id)).toMatchObject({ default_allow: 0, default_deny: SEND_MESSAGES })
  expect(one.events).toEqual([updated])
  const none = await set({ allow: 0, deny: 0 })
  expect(none.answer.body.data.default_permission_override).toBeNull()
  expect(none.events).toEqual([updated])
  expect((await set({ allow: 0, deny: 0 })).events).toEqual([])
  const hide = await watching(() => call(den.owner, 'PATCH', path, { allow: 0, deny: READ_MESSAGES }))
  expect(hide.events).toEqual([updated, { type: 'visibility_changed', house_id: den.id, user_ids: null }])
  expect(told(await call(den.member, 'GET', `/rooms/${den.room_id}`))).toEqual([404, roomNotFound])
})

test('missing, wrong and contradictory bits answer invalid_schema, and nothing changes', async () => {
  const { path, ...den } = await scene()
  const cases: [unknown, string[]][] = [
    [undefined, ['allow', 'deny']],
    [{}, ['allow', 'deny']],
    [{ allow: 1, deny: 1 }, ['allow', 'deny']],
    [{ allow: 1 }, ['deny']],
    [{ allow: -1, deny: 0 }, ['allow']],
    [{ allow: 0, deny: 1_048_576 }, ['deny']],
    [{ allow: '1', deny: null }, ['allow', 'deny']],
  ]
  for (const [body, names] of cases) {
    expect(told(await call(den.owner, 'PATCH', path, body))).toEqual([400, required(...names)])
  }
  expect(await roomRow(den.room_id)).toMatchObject({ default_allow: 0, default_deny: 0 })
})

test('without MANAGE_ROOMS, or for bits that the caller lacks, the answer is no_permission', async () => {
  const { path, ...den } = await scene()
  for (const [caller, body] of [
    [den.member, { allow: 0, deny: 1 }],
    [den.moderator, { allow: KICK_MEMBERS, deny: 0 }],
    [den.moderator, { allow: 0, deny: KICK_MEMBERS }],
  ] as const) {
    expect(told(await call(caller, 'PATCH', path, body))).toEqual([400, noPermission])
  }
  expect((await call(den.owner, 'PATCH', path, { allow: KICK_MEMBERS, deny: 0 })).status).toBe(200)
})

test('a private room answers method_not_allowed_on_room_type', async () => {
  const [ann, ben] = [await user(), await user()]
  for (const id of [await group(ann, ben), await oneToOne(ann, ben)]) {
    const answer = await call(ann, 'PATCH', `/rooms/${id}/default-permissions`, { allow: 0, deny: 1 })
    expect(told(answer)).toEqual([400, wrongRoomType])
  }
})

test('an unreadable or unknown room answers room_not_found', async () => {
  const den = await scene()
  await refusesUnreachableRooms(den, (caller, id) =>
    call(caller, 'PATCH', `/rooms/${id}/default-permissions`, { allow: 0, deny: 1 }),
  )
})
