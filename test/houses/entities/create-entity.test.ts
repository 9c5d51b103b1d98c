import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { watching } from '../../support/houses.ts'
import {
  houseNotFound,
  invalid,
  moderatedHouse,
  noPermission,
  required,
  told,
} from '../../support/permissions.ts'
import { call, db, failure, houseRoom, user } from '../../support/world.ts'

test('creation returns all entities by position with readable pointers, and sends an event to the house', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  const { answer, events } = await watching(() =>
    call(den.moderator, 'POST', `/houses/${den.id}/entities`, { name: 'More', type: 1 }),
  )
  expect(answer.status).toBe(200)
  const common = { house_id: den.id, type: 1 }
  expect(answer.body.data.entities).toEqual([
    {
      ...common,
      id: den.entity_id,
      name: 'Rooms',
      position: 0,
      resource_pointers: [{ resource_type: 'room', resource_id: den.room_id }],
    },
    { ...common, id: expect.any(String), name: 'More', position: 1, resource_pointers: [] },
  ])
  expect(events).toEqual([{ type: 'entities_updated', house_id: den.id }])
  const rows = await db
    .selectFrom('entities')
    .select(['name', 'position'])
    .where('house_id', '=', den.id)
    .execute()
  expect(rows).toContainEqual({ name: 'More', position: 1 })
})

test('a house has at most 100 entities, also under concurrent requests', async () => {
  const den = await moderatedHouse()
  const rows = Array.from({ length: 98 }, (_, i) => ({
    id: newId(),
    house_id: den.id,
    name: 'x',
    position: i + 1,
  }))
  await db.insertInto('entities').values(rows).execute()
  const path = `/houses/${den.id}/entities`
  const answers = await Promise.all([1, 2].map(() => call(den.owner, 'POST', path, { name: 'x' })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  expect((await call(den.owner, 'POST', path, { name: 'x' })).body).toEqual(
    failure('limit_reached', 'You have reached a limit (entities)'),
  )
})

test('missing and wrong fields answer invalid_schema', async () => {
  const den = await moderatedHouse()
  const make = (body: unknown) => call(den.owner, 'POST', `/houses/${den.id}/entities`, body)
  for (const body of [undefined, {}, { name: 'x'.repeat(65) }]) {
    expect(told(await make(body))).toEqual([400, required('name')])
  }
  expect(told(await make({ name: 'x', type: 2 }))).toEqual([400, invalid('type')])
  const rows = await db.selectFrom('entities').select('id').where('house_id', '=', den.id).execute()
  expect(rows).toHaveLength(1)
})

test('without MANAGE_ROOMS creation answers no_permission', async () => {
  const den = await moderatedHouse()
  for (const caller of [den.moderator, den.member]) {
    const answer = await call(caller, 'POST', `/houses/${den.id}/entities`, { name: 'x' })
    expect(told(answer)).toEqual([400, noPermission])
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [den, stranger] = [await moderatedHouse(), await user()]
  for (const id of [den.id, '1', 'x']) {
    const answer = await call(stranger, 'POST', `/houses/${id}/entities`, { name: 'x' })
    expect(told(answer)).toEqual([404, houseNotFound])
  }
})
