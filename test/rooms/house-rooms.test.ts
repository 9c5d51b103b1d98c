import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import {
  emptyBody,
  houseNotFound,
  invalid,
  moderatedHouse,
  noParentEntity,
  noPermission,
  required,
  roomNotFound,
  withEvents,
  wrongRoomType,
} from '../support/permissions.ts'
import { roomRow } from '../support/rooms.ts'
import { call, db, failure, group, houseRoom, message, noAuth, oneToOne, user } from '../support/world.ts'

test('creating a room answers it, puts it last in its entity, and tells the house', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const { answer, events } = await withEvents(() =>
    call(den.moderator, 'POST', `/houses/${den.id}/rooms`, {
      name: 'news',
      description: 'd',
      emoji: 'bell',
      parent_entity_id: null,
    }),
  )
  expect(answer.status).toBe(200)
  const id = answer.body.data.id
  expect(answer.body.data).toEqual({
    id,
    house_id: den.id,
    name: 'news',
    position: 1,
    type: 0,
    emoji: { type: 1, data: 'bell' },
    description: 'd',
    last_message_id: null,
    permission_overrides: null,
    default_permission_override: null,
    recipients: null,
    owner_id: null,
  })
  expect(await db.selectFrom('entity_rooms').selectAll().where('room_id', '=', id).execute()).toEqual([
    { room_id: id, entity_id: den.entity_id, position: 1 },
  ])
  expect(events).toEqual([
    { type: 'room_created', room_id: id, house_id: den.id },
    { type: 'entities_updated', house_id: den.id },
  ])
  expect((await call(den.member, 'GET', `/rooms/${id}`)).body.data).toEqual(answer.body.data)
})

test('creating a room wrongly, without the bit, from outside or without a token is refused', async () => {
  const den = await moderatedHouse()
  const path = `/houses/${den.id}/rooms`
  expect((await call(den.owner, 'POST', path, { emoji: 5 })).body).toEqual(required('name'))
  expect((await call(den.owner, 'POST', path, { name: 'x', emoji: { type: 2, data: 'x' } })).body).toEqual(
    invalid('emoji'),
  )
  expect((await call(den.owner, 'POST', path, { name: 'x', parent_entity_id: 'x' })).body).toEqual(
    noParentEntity,
  )
  expect((await call(den.moderator, 'POST', path, { name: 'x' })).body).toEqual(noPermission)
  expect((await call(await user(), 'POST', path, { name: 'x' })).body).toEqual(houseNotFound)
  expect((await call(null, 'POST', path, { name: 'x' })).body).toEqual(noAuth)
})

test('editing a house room changes what was sent, and says which of both happened', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const path = `/rooms/${den.room_id}`
  const { answer, events } = await withEvents(() =>
    call(den.moderator, 'PATCH', path, { name: 'hall', emoji: { type: 1, data: 'key' }, position: 4 }),
  )
  expect(answer.body.data).toMatchObject({ name: 'hall', emoji: { type: 1, data: 'key' }, position: 4 })
  expect(await roomRow(den.room_id)).toMatchObject({ name: 'hall', emoji: 'key', position: 4 })
  expect(events).toEqual([{ type: 'room_updated', room_id: den.room_id, house_id: den.id }])
  const made = await call(den.owner, 'POST', `/houses/${den.id}/entities`, { name: 'More' })
  const parent_entity_id = made.body.data.entities[1].id
  const move = await withEvents(() => call(den.moderator, 'PATCH', path, { name: 'hall', parent_entity_id }))
  expect(move.events).toEqual([{ type: 'entities_updated', house_id: den.id }])
  expect(
    (await withEvents(() => call(den.moderator, 'PATCH', path, { parent_entity_id, emoji: 'key' }))).events,
  ).toEqual([])
  expect((await call(den.moderator, 'PATCH', path, { emoji: null })).body.data.emoji).toBeNull()
})

test('editing a room wrongly or without the right is refused', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const path = `/rooms/${den.room_id}`
  expect((await call(den.owner, 'PATCH', path, {})).body).toEqual(emptyBody)
  expect((await call(den.owner, 'PATCH', path, { name: null })).body).toEqual(invalid('name'))
  expect((await call(den.owner, 'PATCH', path, { position: -1 })).body).toEqual(invalid('position'))
  expect((await call(den.owner, 'PATCH', path, { parent_entity_id: '1' })).body).toEqual(noParentEntity)
  expect((await call(den.member, 'PATCH', path, { name: 'x' })).body).toEqual(noPermission)
  expect((await call(await user(), 'PATCH', path, { name: 'x' })).body).toEqual(roomNotFound)
  expect((await call(null, 'PATCH', path, { name: 'x' })).body).toEqual(noAuth)
})

test('in a group anybody edits name, description and emoji and nothing else; a one-to-one room is not edited', async () => {
  const [ann, ben] = [await user(), await user()]
  const [many, two] = [await group(ann, ben), await oneToOne(ann, ben)]
  const { answer, events } = await withEvents(() =>
    call(ben, 'PATCH', `/rooms/${many}`, { name: 'us', emoji: 'x' }),
  )
  expect(answer.body.data).toMatchObject({ name: 'us', type: 2, emoji: { type: 1, data: 'x' } })
  expect(events).toEqual([{ type: 'room_updated', room_id: many, house_id: null }])
  expect((await call(ben, 'PATCH', `/rooms/${many}`, { name: null })).body.data.name).toBeNull()
  expect((await call(ben, 'PATCH', `/rooms/${many}`, { position: 1 })).body).toEqual(invalid('position'))
  expect((await call(ben, 'PATCH', `/rooms/${two}`, { name: 'x' })).body).toEqual(wrongRoomType)
  expect((await call(ben, 'DELETE', `/rooms/${many}`)).body).toEqual(wrongRoomType)
  expect((await call(await user(), 'GET', `/rooms/${many}`)).body).toEqual(roomNotFound)
})

test('deleting a room takes messages along, gives its files up, and tells the house', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const id = await houseRoom(den)
  const sent = await message(id, den.member)
  await db
    .updateTable('messages')
    .set({ attachment: JSON.stringify({ key: 'k' }) })
    .where('id', '=', sent)
    .execute()
  expect((await call(den.member, 'DELETE', `/rooms/${id}`)).body).toEqual(noPermission)
  const { answer, events } = await withEvents(() =>
    call(den.moderator, 'DELETE', `/houses/${den.id}/rooms/${id}`),
  )
  expect(answer.body.data).toEqual({ id, house_id: den.id })
  expect(events).toEqual([
    { type: 'room_deleted', room_id: id, house_id: den.id },
    { type: 'entities_updated', house_id: den.id },
  ])
  expect(await db.selectFrom('messages').select('id').where('room_id', '=', id).execute()).toEqual([])
  expect(await db.selectFrom('discarded_files').select('name').execute()).toContainEqual({
    name: `attachments/${id}/k`,
  })
  expect((await call(den.owner, 'GET', `/rooms/${id}`)).body).toEqual(roomNotFound)
})

test('of two rooms deleted at once one stays; rooms of other houses are not found', async () => {
  const [den, other] = [await moderatedHouse(), await moderatedHouse()]
  const id = await houseRoom(den)
  const answers = await Promise.all(
    [id, den.room_id].map((one) => call(den.owner, 'DELETE', `/rooms/${one}`)),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect(answers.find((answer) => answer.status === 400)!.body).toEqual(
    failure('last_room', 'A house must keep at least one room'),
  )
  expect((await call(den.owner, 'DELETE', `/houses/${den.id}/rooms/${other.room_id}`)).body).toEqual(
    roomNotFound,
  )
  expect((await call(den.owner, 'DELETE', `/houses/${other.id}/rooms/${other.room_id}`)).body).toEqual(
    houseNotFound,
  )
})
