import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import {
  memberNotFound,
  moderatedHouse,
  noPermission,
  override,
  required,
  roleNotFound,
  roomNotFound,
  withEvents,
  wrongRoomType,
} from '../support/permissions.ts'
import { call, group, noAuth, role, user } from '../support/world.ts'

const { MANAGE_ROOMS, MANAGE_USER_OVERRIDES, READ_MESSAGES, SEND_MESSAGES, KICK_MEMBERS } = permission

test('default permissions are set, said with what they hide, and removed by two zeros', async () => {
  const den = await moderatedHouse(MANAGE_ROOMS)
  const path = `/rooms/${den.room_id}/default-permissions`
  const updated = { type: 'room_updated', room_id: den.room_id, house_id: den.id }
  const one = await withEvents(() => call(den.moderator, 'PATCH', path, { allow: 0, deny: SEND_MESSAGES }))
  expect(one.answer.body.data.default_permission_override).toEqual({ allow: 0, deny: SEND_MESSAGES })
  expect(one.events).toEqual([updated])
  const none = await withEvents(() => call(den.moderator, 'PATCH', path, { allow: 0, deny: 0 }))
  expect(none.answer.body.data.default_permission_override).toBeNull()
  const hide = await withEvents(() => call(den.owner, 'PATCH', path, { allow: 0, deny: READ_MESSAGES }))
  expect(hide.events).toEqual([updated, { type: 'visibility_changed', house_id: den.id, user_ids: null }])
  expect((await call(den.member, 'GET', `/rooms/${den.room_id}`)).body).toEqual(roomNotFound)
})

test('default permissions are refused wrong, contradictory, without the bit, of bits one lacks, and in private rooms', async () => {
  const den = await moderatedHouse(MANAGE_ROOMS)
  const path = `/rooms/${den.room_id}/default-permissions`
  const many = await group(den.owner, den.member)
  expect((await call(den.owner, 'PATCH', path, {})).body).toEqual(required('allow', 'deny'))
  expect((await call(den.owner, 'PATCH', path, { allow: 1, deny: 1 })).body).toEqual(
    required('allow', 'deny'),
  )
  expect((await call(den.member, 'PATCH', path, { allow: 0, deny: 1 })).body).toEqual(noPermission)
  expect((await call(den.moderator, 'PATCH', path, { allow: KICK_MEMBERS, deny: 0 })).body).toEqual(
    noPermission,
  )
  expect(
    (await call(den.owner, 'PATCH', `/rooms/${many}/default-permissions`, { allow: 0, deny: 1 })).body,
  ).toEqual(wrongRoomType)
  expect((await call(await user(), 'PATCH', path, { allow: 0, deny: 1 })).body).toEqual(roomNotFound)
  expect((await call(null, 'PATCH', path, { allow: 0, deny: 1 })).body).toEqual(noAuth)
})

test('an override is set, replaced without a word when the same, and removed', async () => {
  const den = await moderatedHouse(MANAGE_USER_OVERRIDES)
  const path = `/rooms/${den.room_id}/overrides/${den.member.id}`
  const updated = { type: 'room_updated', room_id: den.room_id, house_id: den.id }
  const seen = { type: 'visibility_changed', house_id: den.id, user_ids: [den.member.id] }
  const body = { type: 1, allow: 0, deny: READ_MESSAGES }
  const put = await withEvents(() => call(den.moderator, 'PUT', path, body))
  expect(put.answer.body.data.permission_overrides).toEqual({
    [den.member.id]: { id: den.member.id, ...body },
  })
  expect(put.events).toEqual([updated, seen])
  expect((await withEvents(() => call(den.moderator, 'PUT', path, body))).events).toEqual([])
  const gone = await withEvents(() => call(den.moderator, 'DELETE', path))
  expect(gone.answer.body.data.permission_overrides).toBeNull()
  expect(gone.events).toEqual([updated, seen])
  const again = await withEvents(() => call(den.moderator, 'DELETE', path))
  expect(again.answer.status).toBe(200)
  expect(again.events).toEqual([])
})

test('overrides need the bit of their type, bits one holds, and a target of the house', async () => {
  const den = await moderatedHouse(MANAGE_ROOMS)
  const low = await role(den)
  const at = (id: string) => `/rooms/${den.room_id}/overrides/${id}`
  const put = (type: number, id: string, allow = 0) =>
    call(den.moderator, 'PUT', at(id), { type, allow, deny: 0 })
  expect((await put(1, den.member.id)).body).toEqual(noPermission)
  expect((await put(0, low, KICK_MEMBERS)).body).toEqual(noPermission)
  expect((await put(0, 'x')).body).toEqual(roleNotFound)
  expect((await put(0, den.member.id)).body).toEqual(roleNotFound)
  expect((await put(1, low)).body).toEqual(memberNotFound)
  expect((await put(2, low)).body).toEqual(required('type'))
  expect((await put(0, low, SEND_MESSAGES)).status).toBe(200)
  await override(den.room_id, den.member.id, { type: 1, deny: SEND_MESSAGES })
  expect((await call(den.moderator, 'DELETE', at(den.member.id))).body).toEqual(noPermission)
  expect((await call(den.member, 'DELETE', at('1'))).body).toEqual(noPermission)
  expect((await call(null, 'DELETE', at('1'))).body).toEqual(noAuth)
  expect((await call(null, 'PUT', at('1'), {})).body).toEqual(noAuth)
})
