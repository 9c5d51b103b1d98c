import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { watching } from '../../support/houses.ts'
import {
  houseNotFound,
  invalid,
  moderatedHouse,
  noParentEntity,
  noPermission,
  required,
  told,
} from '../../support/permissions.ts'
import { call, type Den, db, failure, house, user } from '../../support/world.ts'

async function entityOf(roomId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('entity_rooms')
    .select('entity_id')
    .where('room_id', '=', roomId)
    .executeTakeFirst()
  return row?.entity_id
}

/** Creates a room without an entity, and returns its id. */
async function unplacedRoom(den: Den): Promise<string> {
  const answer = await call(den.owner, 'POST', `/houses/${den.id}/rooms`, { name: 'new' })
  expect(answer.status).toBe(200)
  return answer.body.data.id
}

async function entity(den: Den, name: string, position: number): Promise<string> {
  const id = newId()
  await db.insertInto('entities').values({ id, house_id: den.id, name, position }).execute()
  return id
}

test('creation returns the room, appends it to its entity, and sends an event to the house', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  const { answer, events } = await watching(() =>
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

test('the position of a new room is the greatest plus one', async () => {
  const den = await house({ owner: await user() })
  await call(den.owner, 'PATCH', `/rooms/${den.room_id}`, { position: 7 })
  const answer = await call(den.owner, 'POST', `/houses/${den.id}/rooms`, { name: 'new' })
  expect(answer.body.data.position).toBe(8)
})

test('a room without an entity goes to the entity named Rooms', async () => {
  const den = await house({ owner: await user() })
  await db.updateTable('entities').set({ position: 1 }).where('id', '=', den.entity_id).execute()
  await entity(den, 'First', 0)
  expect(await entityOf(await unplacedRoom(den))).toBe(den.entity_id)
})

test('without an entity named Rooms it goes to the first entity by position', async () => {
  const den = await house({ owner: await user() })
  await db.updateTable('entities').set({ name: 'Old', position: 1 }).where('id', '=', den.entity_id).execute()
  const first = await entity(den, 'First', 0)
  expect(await entityOf(await unplacedRoom(den))).toBe(first)
})

test('in a house without entities it goes to none', async () => {
  const den = await house({ owner: await user() })
  await db.deleteFrom('entity_rooms').where('entity_id', '=', den.entity_id).execute()
  await db.deleteFrom('entities').where('id', '=', den.entity_id).execute()
  expect(await entityOf(await unplacedRoom(den))).toBeUndefined()
})

test('a house has at most 500 rooms, also under concurrent requests', async () => {
  const den = await house({ owner: await user() })
  const rows = Array.from({ length: 498 }, (_, index) => ({
    id: newId(),
    house_id: den.id,
    type: 0,
    name: 'room',
    position: index + 1,
  }))
  await db.insertInto('rooms').values(rows).execute()
  const path = `/houses/${den.id}/rooms`
  const answers = await Promise.all([1, 2, 3].map(() => call(den.owner, 'POST', path, { name: 'x' })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
  expect(answers.find((answer) => answer.status === 400)!.body).toEqual(
    failure('limit_reached', 'You have reached a limit (rooms)'),
  )
  const kept = await db.selectFrom('rooms').select('id').where('house_id', '=', den.id).execute()
  expect(kept).toHaveLength(500)
})

test('a room goes to the given entity; an unknown or foreign one answers parent_entity_doesnt_exist', async () => {
  const [den, other] = [await house({ owner: await user() }), await house({ owner: await user() })]
  const first = await entity(den, 'First', 1)
  const make = (parent_entity_id: unknown) =>
    call(den.owner, 'POST', `/houses/${den.id}/rooms`, { name: 'new', parent_entity_id })
  expect(await entityOf((await make(first)).body.data.id)).toBe(first)
  for (const id of ['x', '1', other.entity_id]) {
    expect(told(await make(id))).toEqual([400, noParentEntity])
  }
  const rooms = await db.selectFrom('rooms').select('id').where('house_id', '=', den.id).execute()
  expect(rooms).toHaveLength(2)
})

test('missing and wrong fields answer invalid_schema', async () => {
  const den = await moderatedHouse()
  const make = (body: unknown) => call(den.owner, 'POST', `/houses/${den.id}/rooms`, body)
  for (const body of [undefined, {}, { emoji: 5 }, { name: ' ' }]) {
    expect(told(await make(body))).toEqual([400, required('name')])
  }
  for (const [field, value] of [
    ['emoji', { type: 2, data: 'x' }],
    ['description', 'x'.repeat(513)],
    ['parent_entity_id', 5],
  ] as const) {
    expect(told(await make({ name: 'x', [field]: value }))).toEqual([400, invalid(field)])
  }
})

test('without MANAGE_ROOMS creation answers no_permission', async () => {
  const den = await moderatedHouse()
  for (const caller of [den.moderator, den.member]) {
    const answer = await call(caller, 'POST', `/houses/${den.id}/rooms`, { name: 'x' })
    expect(told(answer)).toEqual([400, noPermission])
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [den, stranger] = [await moderatedHouse(), await user()]
  for (const id of [den.id, '1', 'x']) {
    const answer = await call(stranger, 'POST', `/houses/${id}/rooms`, { name: 'x' })
    expect(told(answer)).toEqual([404, houseNotFound])
  }
})
