import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { watching } from '../../support/houses.ts'
import {
  memberNotFound,
  moderatedHouse,
  noPermission,
  refusesUnreachableRooms,
  required,
  roleNotFound,
  roomNotFound,
  told,
  wrongRoomType,
} from '../../support/permissions.ts'
import { roomRow } from '../../support/rooms.ts'
import { call, db, failure, group, houseRoom, oneToOne, role, user } from '../../support/world.ts'

const { MANAGE_ROOMS, MANAGE_USER_OVERRIDES, READ_MESSAGES, SEND_MESSAGES, KICK_MEMBERS } = permission

test("a member's override sends events of the room and the member's visibility, once", async () => {
  const den = await moderatedHouse(MANAGE_USER_OVERRIDES)
  const path = `/rooms/${den.room_id}/overrides/${den.member.id}`
  const body = { type: 1, allow: 0, deny: READ_MESSAGES }
  const put = await watching(() => call(den.moderator, 'PUT', path, body))
  expect(put.answer.status).toBe(200)
  const overrides = { [den.member.id]: { id: den.member.id, ...body } }
  expect(put.answer.body.data.permission_overrides).toEqual(overrides)
  expect((await roomRow(den.room_id))?.permission_overrides).toEqual(overrides)
  expect(put.events).toEqual([
    { type: 'room_updated', room_id: den.room_id, house_id: den.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [den.member.id] },
  ])
  expect((await watching(() => call(den.moderator, 'PUT', path, body))).events).toEqual([])
})

test("a role's override is set and replaced, and sends a visibility event for all members", async () => {
  const den = await moderatedHouse(MANAGE_ROOMS)
  const low = await role(den, { members: [den.member] })
  const put = (body: object) =>
    watching(() => call(den.moderator, 'PUT', `/rooms/${den.room_id}/overrides/${low}`, body))
  const updated = { type: 'room_updated', room_id: den.room_id, house_id: den.id }
  expect((await put({ type: 0, allow: SEND_MESSAGES, deny: 0 })).events).toEqual([updated])
  const second = await put({ type: 0, allow: 0, deny: READ_MESSAGES })
  expect(second.answer.body.data.permission_overrides).toEqual({
    [low]: { id: low, type: 0, allow: 0, deny: READ_MESSAGES },
  })
  expect(second.events).toEqual([updated, { type: 'visibility_changed', house_id: den.id, user_ids: null }])
  expect(told(await call(den.member, 'GET', `/rooms/${den.room_id}`))).toEqual([404, roomNotFound])
})

test('a new override without bits sends an event, because the room shows it', async () => {
  const den = await moderatedHouse(MANAGE_USER_OVERRIDES)
  const path = `/rooms/${den.room_id}/overrides/${den.member.id}`
  const put = () => watching(() => call(den.moderator, 'PUT', path, { type: 1, allow: 0, deny: 0 }))
  expect((await put()).events).toEqual([{ type: 'room_updated', room_id: den.room_id, house_id: den.id }])
  expect((await put()).events).toEqual([])
})

test('concurrent overrides are all stored', async () => {
  const den = await moderatedHouse()
  const roles = await Promise.all([1, 2, 3].map((position) => role(den, { position })))
  const answers = await Promise.all(
    roles.map((id) => {
      return call(den.owner, 'PUT', `/rooms/${den.room_id}/overrides/${id}`, { type: 0, allow: 1, deny: 0 })
    }),
  )
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
  const row = await roomRow(den.room_id)
  expect(Object.keys(row?.permission_overrides as object).sort()).toEqual([...roles].sort())
})

test('past 5,000 overrides of a house one more answers limit_reached', async () => {
  const den = await moderatedHouse()
  const other = await houseRoom(den)
  const [one, two, three] = await Promise.all([1, 2, 3].map((position) => role(den, { position })))
  await fillOverrides(den.room_id, 2_000)
  await fillOverrides(other, 2_999)
  const put = (roomId: string, id: string) =>
    watching(() => call(den.owner, 'PUT', `/rooms/${roomId}/overrides/${id}`, { type: 0, allow: 1, deny: 0 }))
  const answers = await Promise.all([put(den.room_id, one!), put(other, two!)])
  const refused = answers.filter(({ answer }) => answer.status !== 200)
  expect(refused.map(({ answer }) => told(answer))).toEqual([[400, tooManyOverrides]])
  expect((await countOverrides(den.room_id)) + (await countOverrides(other))).toBe(5_000)
  const late = await put(other, three!)
  expect([told(late.answer), late.events]).toEqual([[400, tooManyOverrides], []])
  // Replacing an existing override does not increase the count.
  const [room, set] = answers[0]!.answer.status === 200 ? [den.room_id, one!] : [other, two!]
  expect((await put(room, set)).answer.status).toBe(200)
})

test('a house with more than 5,000 overrides keeps them, and each house has its own', async () => {
  const [full, next] = [await moderatedHouse(), await moderatedHouse()]
  await fillOverrides(full.room_id, 6_000)
  const put = async (den: typeof full) =>
    call(den.owner, 'PUT', `/rooms/${den.room_id}/overrides/${await role(den)}`, {
      type: 0,
      allow: 1,
      deny: 0,
    })
  expect(told(await put(full))).toEqual([400, tooManyOverrides])
  expect(await countOverrides(full.room_id)).toBe(6_000)
  expect((await put(next)).status).toBe(200)
})

const tooManyOverrides = failure('limit_reached', 'You have reached a limit (overrides)')

/** Adds overrides of members to a room. */
async function fillOverrides(roomId: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId())
  const overrides = Object.fromEntries(ids.map((id) => [id, { id, type: 1, allow: 0, deny: 1 }]))
  await db
    .updateTable('rooms')
    .set({ permission_overrides: JSON.stringify(overrides) })
    .where('id', '=', roomId)
    .execute()
}

async function countOverrides(roomId: string): Promise<number> {
  return Object.keys((await roomRow(roomId))?.permission_overrides as object).length
}

test('an override needs the bit for its type, and changes only bits that the caller has', async () => {
  const rooms = await moderatedHouse(MANAGE_ROOMS)
  const users = await moderatedHouse(MANAGE_USER_OVERRIDES)
  const put = (den: typeof rooms, type: number, id: string, allow = 0) => {
    const body = { type, allow, deny: 0 }
    return call(den.moderator, 'PUT', `/rooms/${den.room_id}/overrides/${id}`, body)
  }
  const [low, other] = [await role(rooms), await role(users)]
  for (const answer of [
    await put(rooms, 1, rooms.member.id),
    await put(rooms, 0, low, KICK_MEMBERS),
    await put(users, 0, other),
    await put(users, 1, users.member.id, KICK_MEMBERS),
  ]) {
    expect(told(answer)).toEqual([400, noPermission])
  }
  expect((await roomRow(rooms.room_id))?.permission_overrides).toBe(null)
  expect((await put(rooms, 0, low, SEND_MESSAGES)).status).toBe(200)
  expect((await put(users, 1, users.member.id, SEND_MESSAGES)).status).toBe(200)
})

test('a target that is not a role or member of the house answers role_not_found or member_not_found', async () => {
  const [den, other] = [await moderatedHouse(), await moderatedHouse()]
  const [own, foreign] = [await role(den), await role(other)]
  const put = (type: number, id: string) =>
    call(den.owner, 'PUT', `/rooms/${den.room_id}/overrides/${id}`, { type, allow: 0, deny: 0 })
  for (const id of ['1', 'x', den.member.id, foreign]) {
    expect(told(await put(0, id))).toEqual([404, roleNotFound])
  }
  for (const id of ['1', 'x', own, other.member.id]) {
    expect(told(await put(1, id))).toEqual([404, memberNotFound])
  }
})

test('missing, wrong and contradictory fields answer invalid_schema', async () => {
  const den = await moderatedHouse()
  const cases: [unknown, string[]][] = [
    [undefined, ['type', 'allow', 'deny']],
    [{}, ['type', 'allow', 'deny']],
    [{ type: 2, allow: 0, deny: 0 }, ['type']],
    [{ type: 1, allow: '1', deny: 1_048_576 }, ['allow', 'deny']],
    [{ type: 1, allow: 3, deny: 1 }, ['allow', 'deny']],
  ]
  for (const [body, names] of cases) {
    const answer = await call(den.owner, 'PUT', `/rooms/${den.room_id}/overrides/${den.member.id}`, body)
    expect(told(answer)).toEqual([400, required(...names)])
  }
  expect((await roomRow(den.room_id))?.permission_overrides).toBe(null)
})

test('a private room answers method_not_allowed_on_room_type', async () => {
  const [ann, ben] = [await user(), await user()]
  for (const id of [await group(ann, ben), await oneToOne(ann, ben)]) {
    const answer = await call(ann, 'PUT', `/rooms/${id}/overrides/${ben.id}`, { type: 1, allow: 0, deny: 1 })
    expect(told(answer)).toEqual([400, wrongRoomType])
  }
})

test('an unreadable or unknown room answers room_not_found', async () => {
  const den = await moderatedHouse(MANAGE_USER_OVERRIDES)
  const body = { type: 1, allow: 0, deny: 1 }
  await refusesUnreachableRooms(den, (caller, id) =>
    call(caller, 'PUT', `/rooms/${id}/overrides/${den.member.id}`, body),
  )
})
