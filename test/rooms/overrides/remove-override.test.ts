import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import {
  moderatedHouse,
  noPermission,
  override,
  refusesUnreachableRooms,
  told,
  wrongRoomType,
} from '../../support/permissions.ts'
import { roomRow } from '../../support/rooms.ts'
import { call, group, oneToOne, role, user } from '../../support/world.ts'

const { MANAGE_ROOMS, MANAGE_USER_OVERRIDES, READ_MESSAGES, SEND_MESSAGES, KICK_MEMBERS } = permission

test('removal sends events of the room and of visibility; without an override none', async () => {
  const den = await moderatedHouse(MANAGE_USER_OVERRIDES)
  await override(den.room_id, den.member.id, { type: 1, deny: READ_MESSAGES })
  const path = `/rooms/${den.room_id}/overrides/${den.member.id}`
  const gone = await watching(() => call(den.moderator, 'DELETE', path))
  expect(gone.answer.status).toBe(200)
  expect(gone.answer.body.data.permission_overrides).toBeNull()
  expect((await roomRow(den.room_id))?.permission_overrides).toBe(null)
  expect(gone.events).toEqual([
    { type: 'room_updated', room_id: den.room_id, house_id: den.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [den.member.id] },
  ])
  const again = await watching(() => call(den.moderator, 'DELETE', path))
  expect([again.answer.status, again.answer.body]).toEqual([200, gone.answer.body])
  expect(again.events).toEqual([])
  for (const id of ['1', 'x']) {
    expect((await call(den.moderator, 'DELETE', `/rooms/${den.room_id}/overrides/${id}`)).status).toBe(200)
  }
})

test('removal of an override without bits sends an event, because the room showed it', async () => {
  const den = await moderatedHouse(MANAGE_USER_OVERRIDES)
  await override(den.room_id, den.member.id, { type: 1 })
  const path = `/rooms/${den.room_id}/overrides/${den.member.id}`
  const { events } = await watching(() => call(den.moderator, 'DELETE', path))
  expect(events).toEqual([{ type: 'room_updated', room_id: den.room_id, house_id: den.id }])
})

test('concurrent removals send one event', async () => {
  const den = await moderatedHouse()
  await override(den.room_id, den.member.id, { type: 1, deny: SEND_MESSAGES })
  const before = await watching(async () => {
    const path = `/rooms/${den.room_id}/overrides/${den.member.id}`
    const answers = await Promise.all([1, 2, 3].map(() => call(den.owner, 'DELETE', path)))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    return answers[0]!
  })
  expect(before.events).toEqual([{ type: 'room_updated', room_id: den.room_id, house_id: den.id }])
})

test('removal needs the bit for the type, and changes only bits that the caller has', async () => {
  const den = await moderatedHouse(MANAGE_ROOMS)
  const [low, high] = [await role(den), await role(den)]
  await override(den.room_id, den.member.id, { type: 1, deny: SEND_MESSAGES })
  await override(den.room_id, low, { type: 0, deny: SEND_MESSAGES })
  await override(den.room_id, high, { type: 0, deny: KICK_MEMBERS })
  const remove = (caller: typeof den.member, id: string) =>
    call(caller, 'DELETE', `/rooms/${den.room_id}/overrides/${id}`)
  for (const [caller, id] of [
    [den.moderator, den.member.id],
    [den.moderator, high],
    [den.member, low],
    [den.member, '1'],
  ] as const) {
    expect(told(await remove(caller, id))).toEqual([400, noPermission])
  }
  expect(Object.keys((await roomRow(den.room_id))?.permission_overrides as object)).toHaveLength(3)
  expect((await remove(den.moderator, low)).status).toBe(200)
})

test('a private room answers method_not_allowed_on_room_type', async () => {
  const [ann, ben] = [await user(), await user()]
  for (const id of [await group(ann, ben), await oneToOne(ann, ben)]) {
    expect(told(await call(ann, 'DELETE', `/rooms/${id}/overrides/${ben.id}`))).toEqual([400, wrongRoomType])
  }
})

test('an unreadable or unknown room answers room_not_found', async () => {
  const den = await moderatedHouse(MANAGE_USER_OVERRIDES)
  await refusesUnreachableRooms(den, (caller, id) =>
    call(caller, 'DELETE', `/rooms/${id}/overrides/${den.member.id}`),
  )
})
