import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { watching } from '../support/houses.ts'
import {
  emptyBody,
  invalid,
  moderatedHouse,
  noParentEntity,
  noPermission,
  roomNotFound,
  told,
  wrongRoomType,
} from '../support/permissions.ts'
import { roomRow } from '../support/rooms.ts'
import { call, db, group, houseRoom, oneToOne, user } from '../support/world.ts'

async function entityOf(roomId: string): Promise<string | undefined> {
  const places = db.selectFrom('entity_rooms').select('entity_id').where('room_id', '=', roomId)
  return (await places.executeTakeFirst())?.entity_id
}

test('an update of a house room changes the given fields and sends an event for a change', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const path = `/rooms/${den.room_id}`
  const { answer, events } = await watching(() =>
    call(den.moderator, 'PATCH', path, { name: 'hall', emoji: { type: 1, data: 'key' }, position: 4 }),
  )
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ name: 'hall', emoji: { type: 1, data: 'key' }, position: 4 })
  expect(await roomRow(den.room_id)).toMatchObject({ name: 'hall', emoji: 'key', position: 4 })
  expect(events).toEqual([{ type: 'room_updated', room_id: den.room_id, house_id: den.id }])
  expect((await call(den.member, 'GET', path)).body).toEqual(answer.body)
  expect((await call(den.moderator, 'PATCH', path, { emoji: null })).body.data.emoji).toBeNull()
})

test('a room moves to another entity of its house, with an event of the entities', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const path = `/rooms/${den.room_id}`
  const made = await call(den.owner, 'POST', `/houses/${den.id}/entities`, { name: 'More' })
  const parent_entity_id = made.body.data.entities[1].id
  const move = await watching(() => call(den.moderator, 'PATCH', path, { name: 'general', parent_entity_id }))
  expect(move.events).toEqual([{ type: 'entities_updated', house_id: den.id }])
  expect(await entityOf(den.room_id)).toBe(parent_entity_id)
  const again = await watching(() => call(den.moderator, 'PATCH', path, { parent_entity_id, emoji: null }))
  expect([again.answer.status, again.events]).toEqual([200, []])
  const both = await watching(() =>
    call(den.moderator, 'PATCH', path, { parent_entity_id: den.entity_id, description: 'd' }),
  )
  expect(both.events.map((event) => event.type)).toEqual(['room_updated', 'entities_updated'])
})

test('an update with unknown fields only returns the room and sends no event', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const { answer, events } = await watching(() =>
    call(den.moderator, 'PATCH', `/rooms/${den.room_id}`, { type: 2, topic: 'x' }),
  )
  expect([answer.status, answer.body.data.name, answer.body.data.type]).toEqual([200, 'general', 0])
  expect(events).toEqual([])
})

test('an empty body and wrong fields answer invalid_schema, and nothing changes', async () => {
  const den = await moderatedHouse()
  const edit = (body: unknown) => call(den.owner, 'PATCH', `/rooms/${den.room_id}`, body)
  for (const body of [undefined, {}, null]) expect(told(await edit(body))).toEqual([400, emptyBody])
  for (const [field, value] of [
    ['name', null],
    ['name', 'x'.repeat(65)],
    ['description', 'x'.repeat(513)],
    ['emoji', 5],
    ['position', -1],
    ['parent_entity_id', null],
  ] as const) {
    expect(told(await edit({ [field]: value }))).toEqual([400, invalid(field)])
  }
  expect(told(await edit({ name: 'x', emoji: 5 }))).toEqual([400, invalid('emoji')])
  expect(await roomRow(den.room_id)).toMatchObject({ name: 'general', position: 0, emoji: null })
})

test('an unknown entity, or one of another house, answers parent_entity_doesnt_exist', async () => {
  const [den, other] = [await moderatedHouse(), await moderatedHouse()]
  for (const parent_entity_id of ['1', 'x', other.entity_id]) {
    const body = { name: 'x', parent_entity_id }
    expect(told(await call(den.owner, 'PATCH', `/rooms/${den.room_id}`, body))).toEqual([400, noParentEntity])
  }
  expect(await roomRow(den.room_id)).toMatchObject({ name: 'general' })
})

test('any participant of a group updates name, description and emoji, and nothing else', async () => {
  const [ann, ben] = [await user(), await user()]
  const many = await group(ann, ben)
  const { answer, events } = await watching(() =>
    call(ben, 'PATCH', `/rooms/${many}`, { name: 'us', emoji: 'x', description: 'd' }),
  )
  expect(answer.body.data).toMatchObject({ name: 'us', type: 2, emoji: { type: 1, data: 'x' } })
  expect(await roomRow(many)).toMatchObject({ name: 'us', emoji: 'x', description: 'd' })
  expect(events).toEqual([{ type: 'room_updated', room_id: many, house_id: null }])
  expect((await call(ben, 'PATCH', `/rooms/${many}`, { name: null })).body.data.name).toBeNull()
  for (const body of [{ position: 1 }, { parent_entity_id: '1' }]) {
    expect(told(await call(ben, 'PATCH', `/rooms/${many}`, body))).toEqual([
      400,
      invalid(...Object.keys(body)),
    ])
  }
})

test('a one-to-one room answers method_not_allowed_on_room_type', async () => {
  const [ann, ben] = [await user(), await user()]
  const two = await oneToOne(ann, ben)
  for (const body of [{ name: 'x' }, { description: 'x' }]) {
    expect(told(await call(ben, 'PATCH', `/rooms/${two}`, body))).toEqual([400, wrongRoomType])
  }
})

test('without MANAGE_ROOMS editing a house room answers no_permission', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROLES)
  for (const caller of [den.member, den.moderator]) {
    const answer = await call(caller, 'PATCH', `/rooms/${den.room_id}`, { name: 'x' })
    expect(told(answer)).toEqual([400, noPermission])
  }
  expect(await roomRow(den.room_id)).toMatchObject({ name: 'general' })
})

test('an unreadable or unknown room answers room_not_found', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const hidden = await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  const many = await group(den.owner, den.member)
  for (const [caller, id] of [
    [den.moderator, hidden],
    [den.moderator, many],
    [await user(), den.room_id],
    [den.owner, '1'],
    [den.owner, 'x'],
  ] as const) {
    expect(told(await call(caller, 'PATCH', `/rooms/${id}`, { name: 'x' }))).toEqual([404, roomNotFound])
  }
})
