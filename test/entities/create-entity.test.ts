import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import {
  houseNotFound,
  invalid,
  moderatedHouse,
  noPermission,
  required,
  withEvents,
} from '../support/permissions.ts'
import { call, db, failure, houseRoom, noAuth, user } from '../support/world.ts'

test('creating an entity answers all entities by position with readable pointers, and tells the house', async () => {
  const den = await moderatedHouse(permission.MANAGE_ROOMS)
  await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  const { answer, events } = await withEvents(() =>
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
})

test('a house has at most 100 entities, also under a race', async () => {
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

test('creating an entity wrongly, without the bit, from outside or without a token is refused', async () => {
  const den = await moderatedHouse()
  const path = `/houses/${den.id}/entities`
  expect((await call(den.owner, 'POST', path, {})).body).toEqual(required('name'))
  expect((await call(den.owner, 'POST', path, { name: 'x', type: 2 })).body).toEqual(invalid('type'))
  expect((await call(den.moderator, 'POST', path, { name: 'x' })).body).toEqual(noPermission)
  expect((await call(await user(), 'POST', path, { name: 'x' })).body).toEqual(houseNotFound)
  expect((await call(null, 'POST', path, { name: 'x' })).body).toEqual(noAuth)
})
